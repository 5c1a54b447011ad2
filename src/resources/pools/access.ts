import type { Caller } from '../../api/auth.ts'
import { notFound } from '../../api/resource.ts'
import type { Call } from '../../api/route.ts'
import { type Pool, pool } from './fields.ts'
import * as store from './store.ts'

/** The project whose pools a caller sees beside those of nobody; undefined sees all. */
export const projectOf = ({ allProjects, project_id }: Caller): string | undefined =>
  allProjects ? undefined : project_id

/** The pool a call names, if the caller may see it. */
export const poolFor = async ({ tx, params, caller }: Call<'pool_id'>): Promise<Pool> =>
  (await store.get(tx, params.pool_id, projectOf(caller))) ?? notFound(pool)

/** The pool a call is about to change, locked. */
export const poolToChange = async ({ tx, params, caller }: Call<'pool_id'>): Promise<Pool> =>
  (await store.lock(tx, params.pool_id, projectOf(caller))) ?? notFound(pool)
