import { nameKey } from '../../dns/name.ts'
import type { TsigKey } from '../../dns/tsig.ts'
import {
  type Driver,
  type Finding,
  type Kind,
  type MayAct,
  type Refusal,
  type Target,
  type TargetZone,
  Unreachable,
} from '../kind.ts'
import { findingOf } from '../mendable.ts'
import {
  bulkOutcomes,
  isNotThere,
  isThereAlready,
  keysOf,
  type LineOutcome,
  StatusReader,
  type ZoneStatus,
} from '../nsd-control/answers.ts'
import { type ControlSettings, NsdControl } from '../nsd-control/channel.ts'
import { plainName } from '../plain-name.ts'

/** NSD by its control channel. What a zone is made of is said by a pattern in nsd.conf. */
export const nsd4: Kind = {
  batch: 500,
  open: (target, mayAct) => new NsdDriver(target, mayAct),
}

/** Up to so many zones are asked for one by one, more by the status of all. */
const fewZones = 8

class NsdDriver implements Driver {
  readonly gathers = true
  readonly #control: NsdControl
  readonly #pattern: string
  readonly #key: TsigKey | undefined

  constructor({ options, key }: Target, mayAct?: MayAct) {
    this.#control = new NsdControl(settingsOf(options), mayAct)
    this.#pattern = String(options.pattern)
    this.#key = key
  }

  async addZones(zones: readonly TargetZone[], signal: AbortSignal): Promise<readonly Refusal[]> {
    if (!isWord(this.#pattern)) return zones.map(({ id }) => ({ id, reason: patternIsNoWord(this.#pattern) }))
    const refusals: Refusal[] = []
    const present: TargetZone[] = []
    await this.#bulk('addzones', zones, signal, (zone, outcome) => {
      if (!outcome.taken) refusals.push(refusalOf(zone, outcome))
      else if (isThereAlready(outcome)) present.push(zone)
    })
    for (const { zone, status } of await this.#statusOf(present, signal)) {
      const reason = await this.#mendZone(zone, status, signal)
      if (reason !== undefined) refusals.push({ id: zone.id, reason })
    }
    return refusals
  }

  async dropZones(zones: readonly TargetZone[], signal: AbortSignal): Promise<readonly Refusal[]> {
    const refusals: Refusal[] = []
    const own = new Set(
      (await this.#statusOf(zones, signal)).flatMap(({ zone, status }) => (this.#isOwn(status) ? zone : [])),
    )
    const ours = zones.filter((zone) => !own.has(zone))
    await this.#bulk('delzones', ours, signal, (zone, outcome) => {
      if (!outcome.taken && !isNotThere(outcome)) refusals.push(refusalOf(zone, outcome))
    })
    return refusals
  }

  async listZones(signal: AbortSignal): Promise<readonly string[]> {
    const names: string[] = []
    await this.#eachStatus(signal, ({ name }) => names.push(name))
    return names
  }

  async check(signal: AbortSignal): Promise<readonly Finding[]> {
    try {
      const version = (await this.#control.ask({ command: 'status', signal }))
        .map((line) => /^version: (\S+)$/.exec(line)?.[1])
        .find((found) => found !== undefined)
      if (version === undefined) return [notNsd(this.#control.at)]
      return [
        { level: 'ok', what: `NSD ${version} answers at ${this.#control.at}` },
        await this.#checkPattern(signal),
        ...(await this.#checkKey(signal)),
        await this.#checkContent(signal),
        reloadAdvice,
      ]
    } catch (error) {
      signal.throwIfAborted()
      return [findingOf(error)]
    }
  }

  async close(): Promise<void> {
    this.#control.close()
  }

  /**
   * Gives NSD a line for each zone, and tells what became of each. NSD makes the names of its files from those of zones, so
   * that a slash in one would lead it out of its folder: names go to it plain.
   */
  async #bulk(
    command: 'addzones' | 'delzones',
    zones: readonly TargetZone[],
    signal: AbortSignal,
    take: (zone: TargetZone, outcome: LineOutcome) => void,
  ): Promise<void> {
    if (zones.length === 0) return
    const names = zones.map(({ name }) => plainName(name))
    const input = command === 'addzones' ? names.map((name) => `${name} ${this.#pattern}`) : names
    const answer = await this.#control.ask({ command, input, signal })
    const outcomes = bulkOutcomes(names, answer)
    if (outcomes === undefined)
      throw new Unreachable(`NSD at ${this.#control.at} answered ${command} with: ${answer.at(-1)?.slice(0, 200)}`)
    zones.forEach((zone, i) => {
      take(zone, outcomes[i]!)
    })
  }

  /** Puts a zone that is there under our pattern; gives why that cannot be. */
  async #mendZone(zone: TargetZone, status: ZoneStatus, signal: AbortSignal): Promise<string | undefined> {
    if (status.pattern === this.#pattern) return undefined
    if (status.pattern === undefined)
      return status.state === 'master' ? 'NSD has it as a primary zone in its nsd.conf: take it out there' : undefined
    if (this.#isOwn(status))
      return `NSD has a zone of this name of its own (pattern ${status.pattern}): remove it there, or the zone here`
    const answer = await this.#control.ask({ command: `changezone ${plainName(zone.name)} ${this.#pattern}`, signal })
    return answer.at(-1) === 'ok' ? undefined : said(answer)
  }

  /** Whether the content of a zone is the server's own: it follows another pattern, one that takes it from nowhere. */
  #isOwn({ pattern, state }: ZoneStatus): boolean {
    return pattern !== undefined && pattern !== this.#pattern && state === 'master'
  }

  async #statusOf(
    zones: readonly TargetZone[],
    signal: AbortSignal,
  ): Promise<{ readonly zone: TargetZone; readonly status: ZoneStatus }[]> {
    const wanted = new Map(zones.map((zone) => [nameKey(zone.name), zone]))
    const found: { zone: TargetZone; status: ZoneStatus }[] = []
    const take = (status: ZoneStatus) => {
      const zone = wanted.get(status.name)
      if (zone !== undefined) found.push({ zone, status })
    }
    if (zones.length > fewZones) await this.#eachStatus(signal, take)
    else for (const { name } of zones) await this.#eachStatus(signal, take, plainName(name))
    return found
  }

  async #eachStatus(signal: AbortSignal, take: (status: ZoneStatus) => void, only?: string): Promise<void> {
    const reader = new StatusReader(take)
    const mayBeEmpty = only === undefined
    // An NSD without zones says nothing, as one does that does not take our certificate: which of them it is shows here.
    if (mayBeEmpty) await this.#control.ask({ command: 'status', signal })
    const command = mayBeEmpty ? 'zonestatus' : `zonestatus ${only}`
    await this.#control.each({ command, mayBeEmpty, signal }, (line) => reader.line(line))
    reader.end()
  }

  /** NSD has no command that lists patterns, but looks at the pattern of a new zone before it looks at its name. */
  async #checkPattern(signal: AbortSignal): Promise<Finding> {
    const pattern = this.#pattern
    if (!isWord(pattern))
      return { level: 'error', what: patternIsNoWord(pattern), mend: `name another one in nsd.conf` }
    const answer = said(await this.#control.ask({ command: `addzone a..b ${pattern}`, signal }))
    if (answer === 'cannot parse zone name') return { level: 'ok', what: `the pattern ${pattern} is there` }
    return {
      level: 'error',
      what: `the pattern ${pattern} cannot be used: ${answer}`,
      mend: `add a pattern with name: "${pattern}", request-xfr and allow-notify to nsd.conf, then run nsd-control reconfig`,
    }
  }

  async #checkKey(signal: AbortSignal): Promise<Finding[]> {
    if (this.#key === undefined) return []
    const { name, algorithm, secret } = this.#key
    const mend = `let nsd.conf have a key with name: "${name}", algorithm: ${algorithm} and our secret, named by request-xfr and allow-notify of the pattern ${this.#pattern}; then run nsd-control reconfig`
    const known = keysOf(await this.#control.ask({ command: 'print_tsig', signal })).find(
      (key) => key.name === nameKey(name),
    )
    if (known === undefined) return [{ level: 'error', what: `NSD does not have the TSIG key ${name}`, mend }]
    const isSame = known.algorithm === algorithm && Buffer.from(known.secret, 'base64').equals(secret)
    if (isSame) return [{ level: 'ok', what: `NSD has the TSIG key ${name}` }]
    return [{ level: 'error', what: `NSD has another algorithm or secret for the TSIG key ${name}`, mend }]
  }

  async #checkContent(signal: AbortSignal): Promise<Finding> {
    let zones = 0
    let empty = 0
    await this.#eachStatus(signal, ({ pattern, state, served }) => {
      if (pattern !== this.#pattern) return
      zones++
      if (state === 'expired' || served === 'none') empty++
    })
    if (empty === 0) return { level: 'ok', what: `${zones} zones of the pattern ${this.#pattern}` }
    return {
      level: 'warning',
      what: `${empty} of ${zones} zones of the pattern ${this.#pattern} have no content or are expired`,
      mend: 'let request-xfr of the pattern name our DNS address and port, with the key of this target or NOKEY',
    }
  }
}

/** NSD does not tell this setting to anyone. */
const reloadAdvice: Finding = {
  level: 'ok',
  what: 'NSD does not tell its xfrd-reload-timeout',
  mend: 'set xfrd-reload-timeout: 0 in nsd.conf: changes are then served after a few milliseconds, else after a second',
}

const notNsd = (at: string): Finding => ({
  level: 'error',
  what: `what answers at ${at} is not NSD`,
  mend: 'let control_host and control_port name the control-interface and control-port of nsd.conf',
})

const patternIsNoWord = (pattern: string): string =>
  `NSD takes no pattern with spaces in its name: ${JSON.stringify(pattern)}`

const isWord = (text: string): boolean => /^[\x21-\x7e]{1,255}$/.test(text)

const refusalOf = ({ id }: TargetZone, { notes }: LineOutcome): Refusal => ({ id, reason: said(notes) })

/** What NSD said, without the word it starts errors with. */
const said = (lines: readonly string[]): string =>
  lines
    .join('; ')
    .replace(/^error:? /, '')
    .slice(0, 500) || 'NSD gave no reason'

function settingsOf(options: Target['options']): ControlSettings {
  const given = (name: string): string | undefined => (options[name] === undefined ? undefined : String(options[name]))
  return {
    host: given('control_host') ?? String(options.host),
    port: Number(options.control_port),
    certfile: String(options.certfile),
    keyfile: String(options.keyfile),
    ca_certs: given('ca_certs'),
    verify_ssl: options.verify_ssl !== false,
    check_hostname: options.check_hostname !== false,
    timeout: Math.max(0.1, Number(options.timeout)),
  }
}
