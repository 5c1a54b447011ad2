import { ApiError } from '../errors.ts'
import type { Query } from './query.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Who makes a request, and for which project. */
export type Caller = {
  readonly user_id: string
  readonly project_id: string
  readonly roles: ReadonlySet<string>
  /** Whether the request asked to see past its own project. */
  readonly allProjects: boolean
  /** Whether records the service keeps itself (SOA, apex NS…) may be edited. */
  readonly editManaged: boolean
  /** Whether a deleted zone is to leave nothing behind. */
  readonly hardDelete: boolean
}

/** The seam for every kind of authentication: headers in, the caller out, or a refusal (401). */
export type Authenticate = (headers: Headers) => Promise<Caller>

/** `auth: none`: believes what the headers say; for one machine or behind a proxy that sets them. */
export const believeHeaders: Authenticate = async (headers) => ({
  user_id: bounded('X-Auth-User-ID', one(headers['x-auth-user-id']) || 'noauth-user'),
  project_id: bounded('X-Auth-Project-ID', one(headers['x-auth-project-id']) || 'noauth-project'),
  roles: headers['x-roles'] === undefined ? adminRoles : rolesIn(one(headers['x-roles'])!),
  allProjects: false,
  editManaged: false,
  hardDelete: false,
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

const adminRoles = rolesIn('admin')

function bounded(header: string, value: string): string {
  if (value.length <= 255) return value
  throw new ApiError('bad_request', `${header} must be at most 255 characters`)
}

/** Booleans in headers and query values. */
export const isTrue = (value: string | undefined): boolean =>
  value !== undefined && /^(1|t|true|on|y|yes)$/i.test(value)

/** The caller after the headers and parameters that widen or change what it acts on; only administrators may send those. */
export function elevated(caller: Caller, headers: Headers, query: Query): Caller {
  const sudo = one(headers['x-auth-sudo-project-id']) ?? one(headers['x-auth-sudo-tenant-id'])
  const allProjects = query.get('all_projects') ?? query.get('all_tenants') ?? one(headers['x-auth-all-projects'])
  const editManaged = query.get('edit_managed_records') ?? one(headers['x-designate-edit-managed-records'])
  const wants = {
    allProjects: isTrue(allProjects),
    editManaged: isTrue(editManaged),
    hardDelete: isTrue(one(headers['x-designate-hard-delete'])),
  }
  const asked =
    (sudo !== undefined && 'act for another project') ||
    (wants.allProjects && 'see all projects') ||
    (wants.editManaged && 'edit managed records') ||
    (wants.hardDelete && 'delete for good')
  if (!asked) return caller
  if (!caller.roles.has('admin')) throw new ApiError('forbidden', `only an administrator may ${asked}`)
  return { ...caller, ...wants, project_id: bounded('X-Auth-Sudo-Project-ID', sudo || caller.project_id) }
}
