import { ApiError } from '../errors.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Who makes a request, and for which project. */
export type Caller = {
  readonly user_id: string
  readonly project_id: string
  readonly roles: ReadonlySet<string>
  /** Whether the request asked to see past its own project. */
  readonly allProjects: boolean
}

/** The seam for every kind of authentication: headers in, the caller out, or a refusal (401). */
export type Authenticate = (headers: Headers) => Promise<Caller>

/** `auth: none`: believes what the headers say; for one machine or behind a proxy that sets them. */
export const believeHeaders: Authenticate = async (headers) => ({
  user_id: bounded('X-Auth-User-ID', one(headers['x-auth-user-id']) || 'noauth-user'),
  project_id: bounded('X-Auth-Project-ID', one(headers['x-auth-project-id']) || 'noauth-project'),
  roles: rolesIn(one(headers['x-roles']) ?? 'admin'),
  allProjects: false,
})

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

function rolesIn(text: string): ReadonlySet<string> {
  const roles = new Set(
    text
      .toLowerCase()
      .split(',')
      .map((role) => role.trim()),
  )
  if (roles.has('admin')) roles.add('member')
  if (roles.has('member')) roles.add('reader')
  return roles
}

function bounded(header: string, value: string): string {
  if (value.length <= 255) return value
  throw new ApiError('bad_request', `${header} must be at most 255 characters`)
}

/** Booleans in headers and query values. */
export const isTrue = (value: string | undefined): boolean => /^(1|t|true|on|y|yes)$/i.test(value ?? '')

/** The caller after the headers that widen or change what it acts on; only administrators may send those. */
export function elevated(caller: Caller, headers: Headers, allProjectsQuery: string | undefined): Caller {
  const sudo = one(headers['x-auth-sudo-project-id']) ?? one(headers['x-auth-sudo-tenant-id'])
  const allProjects = isTrue(allProjectsQuery ?? one(headers['x-auth-all-projects']))
  if (sudo === undefined && !allProjects) return caller
  if (!caller.roles.has('admin')) {
    const asked = sudo === undefined ? 'see all projects' : 'act for another project'
    throw new ApiError('forbidden', `only an administrator may ${asked}`)
  }
  return { ...caller, allProjects, project_id: bounded('X-Auth-Sudo-Project-ID', sudo || caller.project_id) }
}
