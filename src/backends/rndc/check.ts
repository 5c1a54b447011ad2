import { sameName } from '../../dns/name.ts'
import type { Finding, Target } from '../kind.ts'
import { masterFindings } from '../master-addresses.ts'
import { findingOf } from '../mendable.ts'
import type { RndcConnection } from './connection.ts'
import { reasonOf, viewFault } from './named-zones.ts'
import { zoneBlock } from './zone-statement.ts'

export type NamedCheck = {
  readonly connection: RndcConnection
  readonly target: Target
  readonly view: string | undefined
  readonly signal: AbortSignal
}

// A zone that no server has: changing it is refused in a way that tells whether zones may be added, and changes nothing.
const NOWHERE = 'nowhere.nameplane.invalid.'

const ADVICE =
  'serial-query-rate 2000; transfers-in 200; transfers-per-ns 200; in options of named.conf: with the presets (20, 10, 2) a thousand new zones take half a minute, with these a few seconds.'

/** Looks at all that can be known of a named by its control channel. */
export async function checkNamed(check: NamedCheck): Promise<Finding[]> {
  const { connection, target, signal } = check
  try {
    const status = await connection.run('status', signal)
    if (status.error !== '') return [{ level: 'error', what: `named refused status: ${status.error}` }]
    return [
      versionFinding(status.text),
      await newZonesFinding(check),
      ...(target.key === undefined ? [] : [await keyFinding(connection, target.key.name, signal)]),
      ...(await masterFindings(target.masters)),
      ...paceFindings(status.text),
    ]
  } catch (error) {
    return [findingOf(error)]
  }
}

function versionFinding(status: string): Finding {
  const version = /^version: (?:BIND )?(\S+)/m.exec(status)?.[1] ?? 'unknown'
  const zones = /^number of zones: (\d+)/m.exec(status)?.[1] ?? 'unknown'
  const what = `named ${version} answers rndc; number of zones: ${zones}`
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 9 || (major === 9 && minor >= 16)) return { level: 'ok', what }
  return { level: 'warning', what, mend: 'Use BIND 9.16 or later, which knows the words that zones are added with.' }
}

async function newZonesFinding({ connection, view, signal }: NamedCheck): Promise<Finding> {
  const fault = viewFault(view)
  if (fault !== undefined) return { level: 'error', what: fault, mend: 'Give the view such a name in named.conf.' }
  const place = view === undefined ? '' : ` IN ${view}`
  const reply = await connection.run(`modzone "${NOWHERE}"${place} ${zoneBlock(['127.0.0.1'], NOWHERE)}`, signal)
  if (reply.error === 'not found' && !/no matching view/i.test(reply.text)) {
    return { level: 'ok', what: 'zones may be added (allow-new-zones yes)' }
  }
  return {
    level: 'error',
    what: reasonOf(reply, view) ?? 'named changed a zone that it cannot have',
    mend: 'named.conf needs allow-new-zones yes; in options or in the view, a directory that named may write to, a controls statement without read-only, and the view that the target names; then rndc reconfig.',
  }
}

async function keyFinding(connection: RndcConnection, name: string, signal: AbortSignal): Promise<Finding> {
  const reply = await connection.run('tsig-list', signal)
  const names = [...reply.text.matchAll(/\bkey "([^"\n]*)"/g)].map(([, found]) => dotted(found!))
  if (names.some((found) => sameName(found, name))) return { level: 'ok', what: `named has the transfer key ${name}` }
  return {
    level: 'error',
    what: `named has no key ${name}: it cannot take zones from us`,
    mend: `Put key "${name}" { algorithm …; secret "…"; }; with the algorithm and secret of the TSIG key here into named.conf, then rndc reconfig: keys cannot be given over rndc.`,
  }
}

function paceFindings(status: string): Finding[] {
  const deferred = Number(/^xfers deferred: (\d+)/m.exec(status)?.[1] ?? 0)
  const waits: Finding = {
    level: 'warning',
    what: `${deferred} transfers wait for others to end`,
    mend: `Raise transfers-in and transfers-per-ns: ${ADVICE}`,
  }
  const advice: Finding = {
    level: 'ok',
    what: 'how fast named takes many new zones is not told over rndc: its own settings decide',
    mend: ADVICE,
  }
  return deferred > 0 ? [waits, advice] : [advice]
}

const dotted = (name: string): string => (name.endsWith('.') ? name : `${name}.`)
