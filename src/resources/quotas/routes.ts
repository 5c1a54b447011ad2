import type { Caller } from '../../api/auth.ts'
import { noContent, type Reply, type Route, route } from '../../api/route.ts'
import { fail } from '../../errors.ts'
import { type Quotas, quota } from './fields.ts'
import { quotasOf, resetQuotas, setQuotas } from './store.ts'

export type QuotaSettings = {
  /** What a project may have where nothing was set for it. */
  readonly quotaDefaults: Quotas
}

const about = { resource: quota, text: ['project_id'] } as const

export const quotaRoutes = ({ quotaDefaults }: QuotaSettings): readonly Route[] => [
  route(
    'GET /v2/quotas',
    { ...about, may: 'get_own_quotas', summary: 'Show what your project may have', returns: 'one', status: 200 },
    async ({ tx, caller }) => {
      mustHaveProject(caller)
      return shownQuotas(await quotasOf(tx, caller.project_id, quotaDefaults))
    },
  ),

  route(
    'GET /v2/quotas/{project_id}',
    { ...about, may: 'get_quotas', summary: 'Show what a project may have', returns: 'one', status: 200 },
    async ({ tx, caller, params }) => {
      mustReach(caller, params.project_id)
      return shownQuotas(await quotasOf(tx, params.project_id, quotaDefaults))
    },
  ),

  route(
    'PATCH /v2/quotas/{project_id}',
    { ...about, may: 'set_quota', summary: 'Set some of the quotas of a project', returns: 'one', status: 200 },
    async ({ tx, caller, params, body }) => {
      mustReach(caller, params.project_id)
      return shownQuotas(await setQuotas(tx, params.project_id, quota.update(body), quotaDefaults))
    },
  ),

  route(
    'DELETE /v2/quotas/{project_id}',
    { ...about, may: 'reset_quotas', summary: 'Put a project back to the defaults', returns: 'nothing', status: 204 },
    async ({ tx, caller, params }) => {
      mustReach(caller, params.project_id)
      await resetQuotas(tx, params.project_id)
      return noContent
    },
  ),
]

const shownQuotas = (quotas: Quotas): Reply => ({ status: 200, body: quotas })

function mustHaveProject(caller: Caller): void {
  if (caller.project_id !== '' || caller.allProjects) return
  fail('missing_project_id', 'the token names no project, and this needs one; or ask with X-Auth-All-Projects')
}

/** Refuses the quotas of a project that is not the caller's, unless the caller asked to see past its own. */
function mustReach(caller: Caller, projectId: string): void {
  if (projectId.length > 255) fail('bad_request', `project_id must be at most 255 characters, not ${projectId.length}`)
  mustHaveProject(caller)
  if (projectId === caller.project_id || caller.allProjects) return
  fail('forbidden', `the quotas of another project than your own (${caller.project_id}) need X-Auth-All-Projects: true`)
}
