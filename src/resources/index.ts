import type { Route } from '../api/route.ts'
import { blacklistRoutes } from './blacklists/routes.ts'
import { poolRoutes } from './pools/routes.ts'
import { tldRoutes } from './tlds/routes.ts'

/** The table of contents of the API. */
export const routes: readonly Route[] = [...poolRoutes, ...tldRoutes, ...blacklistRoutes]
