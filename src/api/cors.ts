import type { FastifyReply, FastifyRequest } from 'fastify'

const allowHeaders = [
  'X-Auth-Token',
  'X-Auth-Sudo-Tenant-ID',
  'X-Auth-Sudo-Project-ID',
  'X-Auth-All-Projects',
  'X-Designate-Edit-Managed-Records',
  'X-Designate-Hard-Delete',
  'OpenStack-DNS-Hide-Counts',
  'Content-Type',
  'If-Match',
  'If-None-Match',
].join(', ')

/** Lets pages of the listed origins call the service from a browser; with none listed, none may. */
export function crossOrigin(origins: readonly string[], request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers
  if (origins.length === 0 || origin === undefined) return
  reply.header('Vary', 'Origin')
  if (!origins.includes(origin) && !origins.includes('*')) return
  reply.headers({
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': 'X-OpenStack-Request-ID, Host, Location, ETag, Retry-After',
  })
  if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
    reply.headers({
      'Access-Control-Allow-Methods': 'GET, PUT, POST, DELETE, PATCH, HEAD',
      'Access-Control-Allow-Headers': allowHeaders,
      'Access-Control-Max-Age': '3600',
    })
  }
}

export const answerPreflight = (reply: FastifyReply): FastifyReply => reply.code(200).send()
