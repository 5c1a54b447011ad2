import { isObject, requiredFault } from '../../api/field.ts'
import { type Call, type Reply, type Route, route } from '../../api/route.ts'
import { type Fault, fail, refuse } from '../../errors.ts'
import { mustHaveTtl } from '../zones/create.ts'
import { addressRoutes } from './address-routes.ts'
import { setName, unsetName } from './change.ts'
import { floatingip, floatingipOrNull, floatingips } from './fields.ts'
import { allHeld, notHeld, oneHeld } from './held.ts'
import type { PlaceSettings } from './place.ts'
import type { AddressSource, Held } from './source.ts'
import * as store from './store.ts'

export type ReverseNameSettings = PlaceSettings & { readonly addressSource: AddressSource }

export const reverseNameRoutes = (settings: ReverseNameSettings): readonly Route[] => [
  route(
    'GET /v2/reverse/floatingips',
    {
      resource: floatingips,
      may: 'find_floatingips',
      summary: 'List the addresses of your project with their names',
      returns: 'one',
      status: 200,
      prepare: (call, db) => allHeld(call, db, settings.addressSource),
    },
    async (call) => {
      const held = call.prepared as readonly Held[]
      const names = await store.namesOf(
        call.tx,
        held.map(({ address }) => address),
      )
      const rows = held.map((one) => viewed(call, one, names.get(one.address)))
      return { status: 200, body: { floatingips: rows, links: { self: `${call.mount}/reverse/floatingips` } } }
    },
  ),

  route(
    'GET /v2/reverse/floatingips/{floatingip_key}',
    {
      resource: floatingip,
      may: 'get_floatingip',
      summary: 'Show an address with its name',
      returns: 'one',
      status: 200,
      text: ['floatingip_key'],
      prepare: (call, db) => oneHeld(call, db, settings.addressSource),
    },
    (call) => answer(call, call.prepared as Held, 200),
  ),

  route(
    'PATCH /v2/reverse/floatingips/{floatingip_key}',
    {
      resource: floatingipOrNull,
      may: 'update_floatingip',
      summary: 'Give an address a name, or with null take it away',
      returns: 'one',
      status: 202,
      text: ['floatingip_key'],
      prepare: (call, db) => oneHeld(call, db, settings.addressSource),
    },
    (call) => patch(call, call.prepared as Held, settings),
  ),

  ...addressRoutes,
]

const viewed = (call: Call, held: Held, name: store.ReverseName | undefined): Record<string, unknown> =>
  floatingip.view(store.shownAddress(held, name), call.profile, call.mount)

const answer = async (call: Call, held: Held, status: number): Promise<Reply> => ({
  status,
  body: viewed(call, held, await store.nameOf(call.tx, held.address)),
})

async function patch(call: Call, held: Held, settings: ReverseNameSettings): Promise<Reply> {
  const { tx, body, caller } = call
  if ((await settings.addressSource.stillHas?.(tx, held)) === false) notHeld(held, held.project_id)
  await store.lockName(tx, held.address)
  const name = await store.nameOf(tx, held.address)
  const given = floatingip.update(body, viewed(call, held, name))
  const own = name !== undefined && store.isOf(name, held) ? name : undefined
  // Clients know an empty body as another way to take the name away.
  if (given.ptrdname === null || (isObject(body) && Object.keys(body).length === 0)) {
    if (own === undefined) fail('not_found', `FloatingIP ${held.id} in ${held.region} has no name to take away`)
    await unsetName(call, own)
    return { status: 202, body: null }
  }
  const shown = store.shownAddress(held, name)
  const ptrdname = given.ptrdname ?? shown.ptrdname ?? required('ptrdname')
  const ttl = given.ttl === undefined ? (own?.own_ttl ?? null) : given.ttl
  if (given.ttl != null) mustHaveTtl(given.ttl, settings.minTtl, caller)
  const description = given.description === undefined ? shown.description : given.description
  await setName(call, held, { ptrdname, ttl, description }, settings.addressSource.name, settings)
  return answer(call, held, 202)
}

function required(field: string): never {
  const faults: Fault[] = []
  requiredFault(faults, [field], field)
  refuse(faults)
  throw new Error('a fault was not refused')
}
