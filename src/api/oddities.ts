import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'
import { profiles } from './profile.ts'

const noMethod = () => new ApiError('method_not_allowed', 'nothing can be done here', undefined, { Allow: '' })
const nothingHere = () => new ApiError('not_found', 'resource not found')

/** Words that stand where the id of a zone would. Suites made for Designate expect them not to be taken for ids. */
export function wordsAmongZones(app: FastifyInstance): void {
  for (const { prefix } of profiles) {
    for (const word of ['recordsets', 'tasks']) {
      const url = `${prefix}/zones/${word}`
      app.route({ method: ['GET', 'POST'], url, handler: async () => Promise.reject(nothingHere()) })
      app.route({ method: ['PUT', 'PATCH', 'DELETE'], url, handler: async () => Promise.reject(noMethod()) })
    }
    noRecordsOfTheirOwn(app, `${prefix}/zones/:zone_id/recordsets/:recordset_id/records`)
  }
}

/** Records are a part of their set: what looks like a list of them is neither that nor the set of a type `records`. */
function noRecordsOfTheirOwn(app: FastifyInstance, url: string): void {
  app.route({ method: ['GET', 'PUT', 'PATCH', 'DELETE'], url, handler: async () => Promise.reject(nothingHere()) })
  app.route({ method: 'POST', url, handler: async () => Promise.reject(noMethod()) })
}

const belowZone = new RegExp(`^(?:${profiles.map(({ prefix }) => prefix).join('|')})/zones/[^/?]+/[^?]`)

/** What to say of a path that there is not: below a zone, as Designate does, POST is told that it has no place. */
export const unknownPath = (method: string, url: string): ApiError =>
  method === 'POST' && belowZone.test(url) ? noMethod() : nothingHere()
