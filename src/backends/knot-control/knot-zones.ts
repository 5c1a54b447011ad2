import { DnsError } from '../../dns/errors.ts'
import { nameKey, parseName } from '../../dns/name.ts'
import type { TsigKey } from '../../dns/tsig.ts'
import type { HostPort } from '../kind.ts'
import { plainName } from '../plain-name.ts'
import type { Held, Wanted } from './sections.ts'

/** What zones are told: a template that the server has, or what we set up there. */
export type Setup = { readonly sections: readonly Wanted[]; readonly zone: Wanted['items'] }

export type KnotTarget = {
  /** The name of what is set up for the target. */
  readonly name: string
  readonly masters: readonly HostPort[]
  readonly key: TsigKey | undefined
  readonly template: string | undefined
}

/** What has to be in the configuration for the zones of a target, in the order in which it can be set. */
export function setupFor({ name, masters, key, template }: KnotTarget): Setup {
  if (template !== undefined) return { sections: [], zone: { template: [template], master: [], acl: [] } }
  const keyId = key && plainName(nameKey(key.name))
  const keys = keyId === undefined ? [] : [keyId]
  const address = [...new Set(masters.map(({ host }) => host))]
  // Audits compare content by transfer, signed where there is a key.
  const actions = ['notify', 'transfer']
  const sections: Wanted[] = [
    { section: 'remote', id: name, items: { address: masters.map(({ host, port }) => `${host}@${port}`), key: keys } },
    { section: 'acl', id: name, items: { address, action: key === undefined ? actions : ['notify'], key: [] } },
  ]
  if (key === undefined || keyId === undefined) return { sections, zone: { master: [name], acl: [name] } }
  const secret = Buffer.from(key.secret).toString('base64')
  const signed = `${name}-signed`
  // An acl without key lets nobody in who signs, and one with a key nobody who does not.
  return {
    sections: [
      { section: 'key', id: keyId, items: { algorithm: [key.algorithm], secret: [secret] } },
      ...sections,
      { section: 'acl', id: signed, items: { address, action: actions, key: keys } },
    ],
    zone: { master: [name], acl: [name, signed] },
  }
}

/** Whether a zone of the server is taken from elsewhere, by itself or by its template; others are the server's own. */
export function isSecondary(zone: Held, templates: ReadonlyMap<string, Held>): boolean {
  const template = templates.get(zone.get('template')?.[0] ?? 'default')
  return (zone.get('master') ?? template?.get('master') ?? []).length > 0
}

/** The id of a zone in the configuration. */
export const zoneId = (name: string): string => plainName(nameKey(name))

/** The name of a zone that knotd tells, as we write names; undefined for a text that is none. */
export function nameOf(text: string): string | undefined {
  try {
    return parseName(text.endsWith('.') ? text : `${text}.`)
  } catch (error) {
    if (error instanceof DnsError) return undefined
    throw error
  }
}
