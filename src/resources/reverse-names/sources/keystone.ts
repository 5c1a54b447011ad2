import { isObject } from '../../../api/field.ts'
import type { Clock } from '../../../clock.ts'
import { type JsonClient, ServiceAway } from './json-client.ts'

/** How the service proves who it is: as a user in a project, or by an application credential. */
export type Credentials =
  | {
      readonly username: string
      readonly password: string
      readonly project: string
      readonly domain: string
    }
  | { readonly id: string; readonly secret: string }

/** Gives a token that can be used now, and another than one that was refused. */
export type Tokens = (refused?: string) => Promise<string>

const spareMilliseconds = 60_000

/** Tokens of OpenStack's identity service (Keystone v3), each used until shortly before it expires. */
export function serviceTokens(client: JsonClient, identityUrl: string, credentials: Credentials, clock: Clock): Tokens {
  const url = new URL(`${identityUrl.replace(/\/v3$/, '')}/v3/auth/tokens`)
  let last: Promise<{ readonly token: string; readonly until: number }> | undefined
  const ask = () => {
    const asked = newToken(client, url, credentials)
    last = asked
    // What failed is not kept: the next one asks again.
    asked.catch(() => {
      if (last === asked) last = undefined
    })
    return asked
  }
  return async (refused) => {
    const held = last
    const known = await held
    const isFresh = known !== undefined && known.until - spareMilliseconds > clock().getTime()
    if (isFresh && known.token !== refused) return known.token
    // Of several that come at once the first asks, for all.
    return (await (last === held || last === undefined ? ask() : last)).token
  }
}

async function newToken(client: JsonClient, url: URL, credentials: Credentials) {
  const { status, headers, body } = await client({ method: 'POST', url, body: { auth: authOf(credentials) } })
  if (status === 401) throw new ServiceAway('does not accept the credentials of this service')
  const token = headers['x-subject-token']
  const told = isObject(body) && isObject(body.token) ? Date.parse(String(body.token.expires_at)) : Number.NaN
  if (status !== 201 || typeof token !== 'string' || Number.isNaN(told)) {
    throw new ServiceAway(`answered ${status} when asked for a token`)
  }
  return { token, until: told }
}

function authOf(credentials: Credentials): object {
  if ('id' in credentials) {
    return { identity: { methods: ['application_credential'], application_credential: credentials } }
  }
  const { username, password, project, domain } = credentials
  const user = { name: username, domain: { name: domain }, password }
  return {
    identity: { methods: ['password'], password: { user } },
    scope: { project: { name: project, domain: { name: domain } } },
  }
}
