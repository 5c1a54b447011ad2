/** How one mount of the API speaks. This is the whole difference between the two; handlers never ask which one it is. */
export type Profile = {
  readonly prefix: string
  /** What stands before `/v2` and `/admin`. */
  readonly root: string
  /** Whether recordset rows in lists carry their `records`. */
  readonly recordsInLists: boolean
  /** The list's `metadata`: the total where the mount tells one and there is one, null where it says so, undefined where the key is absent. */
  readonly metadata: (
    collection: string,
    total: () => Promise<number | undefined>,
  ) => Promise<object | null | undefined>
  readonly poolUpdatedStatus: 200 | 202
  /** What an unset map of a pool looks like. */
  readonly unsetAttributes: null | Readonly<Record<string, never>>
  readonly contentType: (resource: string | undefined) => string
}

const counted = new Set(['zones', 'recordsets', 'imports', 'exports', 'transfer_accepts'])

/** `/v2`: the specification to the letter. */
export const specification: Profile = {
  prefix: '/v2',
  root: '',
  recordsInLists: false,
  metadata: async (collection) => (collection === 'pools' ? null : undefined),
  poolUpdatedStatus: 200,
  unsetAttributes: null,
  contentType: (resource) => (resource === 'pool' ? 'application/json; charset=UTF-8' : 'application/json'),
}

/** `/openstack/v2`: as Designate answers today, for clients made for it. */
export const openstack: Profile = {
  prefix: '/openstack/v2',
  root: '/openstack',
  recordsInLists: true,
  metadata: async (collection, total) => (counted.has(collection) ? { total_count: await total() } : undefined),
  poolUpdatedStatus: 202,
  unsetAttributes: {},
  contentType: () => 'application/json',
}

export const profiles: readonly Profile[] = [specification, openstack]
