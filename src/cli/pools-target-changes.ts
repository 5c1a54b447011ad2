import { isDeepStrictEqual } from 'node:util'
import type { Changes } from './pools-change.ts'
import { comparable, isAlike, matchTargets } from './pools-match.ts'
import { addressKey, type HostPort, wrong } from './pools-read.ts'
import type { TargetView } from './pools-state.ts'
import { optionsOf, type WantedTarget } from './pools-targets.ts'
import { addressText, shown } from './pools-words.ts'

const path = '/v2/pools/{pool_id}/targets'

/** What makes the targets of a pool those of the file. */
export function targetChanges(
  into: Changes,
  wanted: readonly WantedTarget[],
  present: readonly TargetView[],
  sendSecrets: boolean,
): void {
  const { both, added, removed } = matchTargets(wanted, present)
  for (const target of added) {
    const { type, description, tsigkey_id, masters, options, secrets } = target
    missingSecrets(into, target, [])
    into.lines.push(`+ target ${targetText(target)}`, ...details(target).map((line) => `    ${line}`))
    into.notes.push(...target.notes)
    const body = { type, description, tsigkey_id, masters, options: { ...options, ...held(secrets) } }
    into.create('add target', path, body, `add target ${targetText(target)}`)
  }
  for (const one of both) changeOne(into, one.wanted, one.present, sendSecrets)
  for (const target of removed) {
    into.lines.push(`- target ${targetText(target)}`)
    into.notes.push(`what ${targetText(target)} holds stays on that server`)
    into.remove('remove target', `${path}/${target.id}`, `remove target ${targetText(target)}`)
  }
}

function changeOne(into: Changes, target: WantedTarget, present: TargetView, sendSecrets: boolean): void {
  missingSecrets(into, target, present.secrets_set)
  const sent = secretsToSend(target, present, sendSecrets)
  for (const name of Object.keys(held(target.secrets))) {
    if (!Object.hasOwn(sent, name)) into.keptSecrets.push(`${name} of ${targetText(target)}`)
  }
  if (isAlike(target, present) && Object.keys(sent).length === 0) return

  const body: Record<string, unknown> = {}
  const told: string[] = []
  for (const field of ['description', 'tsigkey_id'] as const) {
    if (target[field] === present[field]) continue
    body[field] = target[field]
    told.push(`${field}: ${shown(present[field])} → ${shown(target[field])}`)
  }
  if (!isDeepStrictEqual(target.masters.map(addressKey), present.masters.map(addressKey))) {
    body.masters = target.masters
    told.push(`masters: ${mastersText(present.masters)} → ${mastersText(target.masters)}`)
  }
  const [before, after] = [comparable(target.type, present.options), comparable(target.type, target.options)]
  const differing = Object.keys(optionsOf(target.type)).filter((name) => before[name] !== after[name])
  for (const name of differing) told.push(`${name}: ${shown(before[name])} → ${shown(after[name])}`)
  for (const [name, value] of Object.entries(sent)) {
    told.push(`${name}: (secret) ${value === null ? 'taken away' : 'set'}`)
  }
  if (differing.length > 0 || Object.keys(sent).length > 0) body.options = { ...target.options, ...sent }

  into.lines.push(`~ target ${targetText(target)}`, ...told.map((line) => `    ${line}`))
  into.notes.push(...target.notes)
  into.change('change', `${path}/${present.id}`, body, `change target ${targetText(target)}`)
}

/** A secret that is set cannot be read, and so not compared: it is sent where none is set, or when that is asked for. */
function secretsToSend({ secrets }: WantedTarget, { secrets_set }: TargetView, sendSecrets: boolean) {
  const entries = Object.entries(secrets).filter(([name, value]) => {
    const isSet = secrets_set.includes(name)
    return value === null ? isSet : !isSet || sendSecrets
  })
  return Object.fromEntries(entries)
}

/** A required secret must be in the file or set already. */
function missingSecrets(into: Changes, { type, path: place, secrets }: WantedTarget, set: readonly string[]): void {
  for (const [name, { required, secret, purpose }] of Object.entries(optionsOf(type))) {
    if (required && secret && (secrets[name] ?? null) === null && !set.includes(name)) {
      wrong(into.faults, [...place, 'options', name], `is required: ${purpose}; a secret, which exports leave out`)
    }
  }
}

const held = (secrets: WantedTarget['secrets']) =>
  Object.fromEntries(Object.entries(secrets).filter(([, value]) => value !== null))

const mastersText = (masters: readonly HostPort[]) => masters.map(addressText).join(', ') || '(none)'

/** `bind9 192.0.2.1:53` */
function targetText({ type, options }: Pick<TargetView, 'type' | 'options'>): string {
  return `${type} ${addressText({ host: String(options.host ?? '127.0.0.1'), port: Number(options.port ?? 53) })}`
}

function details({ description, tsigkey_id, masters, options, secrets }: WantedTarget): string[] {
  return [
    ...(description === null ? [] : [`description: ${shown(description)}`]),
    ...(tsigkey_id === null ? [] : [`tsigkey_id: ${tsigkey_id}`]),
    ...(masters.length === 0 ? [] : [`masters: ${mastersText(masters)}`]),
    ...Object.entries(options)
      .filter(([name]) => name !== 'host' && name !== 'port')
      .map(([name, value]) => `${name}: ${shown(value)}`),
    ...Object.keys(held(secrets)).map((name) => `${name}: (secret) set`),
  ]
}
