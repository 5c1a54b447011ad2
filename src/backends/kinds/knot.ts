import { DnsError } from '../../dns/errors.ts'
import {
  type Driver,
  type Kind,
  type MayAct,
  type Refusal,
  type Target,
  type TargetZone,
  Unreachable,
} from '../kind.ts'
import { checkKnot } from '../knot-control/check.ts'
import { isSecondary, nameOf, type Setup, setupFor, zoneId } from '../knot-control/knot-zones.ts'
import type { Items } from '../knot-control/protocol.ts'
import { allOf, commandsFor, faultText, heldOf } from '../knot-control/sections.ts'
import type { KnotSession } from '../knot-control/session.ts'
import { KnotControl } from '../knot-control/transaction.ts'
import { masterAddresses } from '../master-addresses.ts'

/** Knot DNS, told of zones over its control socket. */
export const knot: Kind = { batch: 1000, open: openKnot }

/** A zone and its id in the configuration. */
type Named = { readonly zone: TargetZone; readonly id: string }

// Each round leaves out what was refused in the one before.
const MOST_ROUNDS = 4
const OWN = 'knotd has a zone of this name of its own, that it takes from nowhere: remove it there, or the zone here'

function openKnot(target: Target, mayAct?: MayAct): Driver {
  const { options } = target
  const name = `nameplane-${target.id.replace(/[^A-Za-z0-9-]/g, '-')}`
  const template = options.template === undefined ? undefined : String(options.template)
  const path = String(options.socket ?? '/run/knot/knot.sock')
  const control = new KnotControl({
    path,
    timeout: Number(options.timeout ?? 10) * 1000,
    mark: `${name}-transaction`,
    mayAct,
  })

  async function addZones(zones: readonly TargetZone[], signal: AbortSignal): Promise<Refusal[]> {
    const setup = setupFor({ name, masters: await masterAddresses(target.masters), key: target.key, template })
    const [named, refusals] = nameAll(zones)
    let left = named
    for (let round = 1; left.length > 0; round++) {
      const refused = new Map<string, string>()
      const faults = await control.transaction(signal, (session) => addAll(session, setup, left, refused))
      if (faults.length === 0) break
      const whole = faults.find((fault) => !blames(fault, left, refused))
      // A fault of what all zones stand on is the fault of each.
      if (whole || round === MOST_ROUNDS) refuseRest(left, refused, faultText(whole ?? faults[0]!))
      for (const [id, reason] of refused) refusals.push({ id, reason })
      left = left.filter(({ zone }) => !refused.has(zone.id))
    }
    return refusals
  }

  async function dropZones(zones: readonly TargetZone[], signal: AbortSignal): Promise<Refusal[]> {
    const [named, refusals] = nameAll(zones)
    const ours = await control.session(signal, async (session) => {
      const templates = allOf(await session.one({ command: 'conf-read', section: 'template' }))
      const answers = await session.ask(named.map(({ id }) => ({ command: 'conf-read', section: 'zone', id })))
      const found = answers.map(heldOf)
      const dropped = named.filter((_, i) => found[i] !== undefined && isSecondary(found[i], templates))
      // The file goes first: afterwards knotd does not know any more where it is.
      await session.ask(dropped.map(({ id }) => ({ command: 'zone-purge', flags: 'F', zone: id, filter: 'f' })))
      return { dropped, gone: named.filter((_, i) => found[i] === undefined || dropped.includes(named[i]!)) }
    })
    if (ours.dropped.length > 0) {
      const faults = await control.transaction(signal, async (session) => {
        const answers = await session.ask(
          ours.dropped.map(({ id }) => ({ command: 'conf-unset', section: 'zone', id })),
        )
        return answers.flatMap(({ errors }) => errors.filter(({ error }) => error !== 'invalid identifier'))
      })
      if (faults[0] !== undefined) {
        const reason = faultText(faults[0])
        return [...refusals, ...ours.dropped.map(({ zone }) => ({ id: zone.id, reason }))]
      }
    }
    await control.session(signal, (session) =>
      session.ask(ours.gone.map(({ id }) => ({ command: 'zone-purge', flags: 'F', zone: id, filter: 'o' }))),
    )
    return refusals
  }

  return {
    gathers: true,
    addZones,
    dropZones,
    async listZones(signal) {
      const { values } = await control.session(signal, (session) =>
        session.one({ command: 'zone-status', filter: 'r' }),
      )
      return [...new Set(values.map(zoneName))]
    },
    check: (signal) => checkKnot({ control, signal, template, path, masters: target.masters }),
    close: () => control.close(),
  }
}

/** Puts zones into a transaction; those that are refused stand in `refused` with the reason. Resolves with what is wrong. */
async function addAll(
  session: KnotSession,
  { sections, zone: items }: Setup,
  zones: readonly Named[],
  refused: Map<string, string>,
): Promise<readonly Items[]> {
  const present = await session.ask(sections.map(({ section, id }) => ({ command: 'conf-get', section, id })))
  const setup = sections.flatMap((wanted, i) => commandsFor(wanted, heldOf(present[i]!)))
  const wrong = (await session.ask(setup)).flatMap(({ errors }) => errors)
  if (wrong.length > 0) return wrong

  const templates = allOf(await session.one({ command: 'conf-get', section: 'template' }))
  const answers = await session.ask(zones.map(({ id }) => ({ command: 'conf-get', section: 'zone', id })))
  const faults: Items[] = []
  const commands: Items[] = []
  const owners: TargetZone[] = []
  for (const [i, { zone, id }] of zones.entries()) {
    const held = heldOf(answers[i]!)
    const needed = commandsFor({ section: 'zone', id, items }, held)
    if (held !== undefined && needed.length > 0 && !isSecondary(held, templates)) {
      refused.set(zone.id, OWN)
      faults.push({ section: 'zone', id, error: OWN })
    } else {
      commands.push(...needed)
      for (const _ of needed) owners.push(zone)
    }
  }
  for (const [i, { errors }] of (await session.ask(commands)).entries()) {
    for (const fault of errors) {
      faults.push(fault)
      if (!refused.has(owners[i]!.id)) refused.set(owners[i]!.id, faultText(fault))
    }
  }
  return faults
}

/** Whether a fault is that of one zone, which is refused for it. */
function blames(fault: Items, zones: readonly Named[], refused: Map<string, string>): boolean {
  if (fault.section !== 'zone' || fault.id === undefined) return false
  const name = nameOf(fault.id)
  const found = name === undefined ? undefined : zones.find(({ id }) => id === zoneId(name))
  if (found === undefined) return false
  if (!refused.has(found.zone.id)) refused.set(found.zone.id, faultText(fault))
  return true
}

function refuseRest(zones: readonly Named[], refused: Map<string, string>, reason: string): void {
  for (const { zone } of zones) if (!refused.has(zone.id)) refused.set(zone.id, reason)
}

function zoneName({ zone = '' }: Items): string {
  const name = nameOf(zone)
  if (name === undefined) throw new Unreachable(`knotd tells of a zone whose name is none: ${JSON.stringify(zone)}`)
  return name
}

/** Zones with their ids, and refusals of those whose names are none. */
function nameAll(zones: readonly TargetZone[]): [Named[], Refusal[]] {
  const named: Named[] = []
  const refusals: Refusal[] = []
  for (const zone of zones) {
    try {
      named.push({ zone, id: zoneId(zone.name) })
    } catch (error) {
      if (!(error instanceof DnsError)) throw error
      refusals.push({ id: zone.id, reason: error.message })
    }
  }
  return [named, refusals]
}
