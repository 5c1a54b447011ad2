import { setTimeout as sleep } from 'node:timers/promises'
import type { TsigKey } from '../../dns/tsig.ts'
import {
  type Driver,
  type Finding,
  type HostPort,
  type Kind,
  type MayAct,
  type Refusal,
  type Target,
  type TargetZone,
  Unreachable,
} from '../kind.ts'
import { masterAddresses } from '../master-addresses.ts'
import { findingOf } from '../mendable.ts'
import {
  canonical,
  fieldsOf,
  isAsWanted,
  isOwn,
  isSameKey,
  isSecondary,
  type Problem,
  problemOf,
  type WantedZone,
} from '../pdns-api/answers.ts'
import { callsAtOnce, PdnsApi } from '../pdns-api/client.ts'
import { checkServer } from '../pdns-api/findings.ts'
import { idOf, masterText } from '../pdns-api/ids.ts'

/** PowerDNS by its HTTP API. */
export const pdns4: Kind = {
  batch: 50,
  open: (target, mayAct) => new PdnsDriver(target, mayAct),
}

/** Milliseconds before each round of tries: SQLite locks out those who write at the same time, and PowerDNS gives up on it at once. */
const waits = [0, 0, 50, 250, 1000]
const mostZonesOctets = 256 * 1024 * 1024

class PdnsDriver implements Driver {
  readonly #api: PdnsApi
  readonly #masters: readonly HostPort[]
  readonly #key: TsigKey | undefined
  readonly #keyName: string | undefined

  constructor({ options, masters, key }: Target, mayAct?: MayAct) {
    const given = (name: string) => (options[name] === undefined ? undefined : String(options[name]))
    this.#api = new PdnsApi({
      api_endpoint: String(options.api_endpoint),
      api_token: String(options.api_token),
      api_ca_cert: given('api_ca_cert'),
      timeout: Math.max(0.1, Number(options.timeout)),
      mayAct,
    })
    this.#masters = masters
    this.#keyName = given('tsigkey_name')
    this.#key = this.#keyName === undefined ? key : undefined
  }

  async addZones(zones: readonly TargetZone[], signal: AbortSignal): Promise<readonly Refusal[]> {
    if (zones.length === 0) return []
    const reason = await this.#makeKey(signal)
    if (reason !== undefined) return zones.map(({ id }) => ({ id, reason }))
    const wanted = await this.#wanted()
    return this.#each(zones, signal, (zone, until) => this.#add(zone, wanted, until))
  }

  async dropZones(zones: readonly TargetZone[], signal: AbortSignal): Promise<readonly Refusal[]> {
    return this.#each(zones, signal, async ({ name }, until) => {
      const path = pathOf(name)
      const there = await this.#api.call({ method: 'GET', path: `${path}?rrsets=false`, signal: until })
      // A zone that the server has as its own is not what is to go.
      if (there.status === 404 || isOwn(fieldsOf(there.body))) return undefined
      if (there.status >= 300) return problemOf(there)
      const answer = await this.#api.call({ method: 'DELETE', path, signal: until })
      return answer.status === 404 ? undefined : problemOf(answer)
    })
  }

  async refreshZones(zones: readonly TargetZone[], signal: AbortSignal): Promise<void> {
    await inParallel(zones, callsAtOnce, signal, async (zone, until) => void (await this.#retrieve(zone, until)))
  }

  async listZones(signal: AbortSignal): Promise<readonly string[]> {
    const answer = await this.#api.call({ method: 'GET', path: '/zones?dnssec=false', signal, most: mostZonesOctets })
    const { body } = answer
    if (answer.status !== 200 || !Array.isArray(body))
      throw new Unreachable(`PowerDNS at ${this.#api.at} does not list its zones: ${problemOf(answer)?.reason}`)
    return body.map((zone: unknown) => canonical(String(fieldsOf(zone).name)))
  }

  async check(signal: AbortSignal): Promise<readonly Finding[]> {
    try {
      return await checkServer({
        api: this.#api,
        masters: this.#masters,
        key: this.#key,
        keyName: this.#keyName,
        signal,
      })
    } catch (error) {
      signal.throwIfAborted()
      return [findingOf(error)]
    }
  }

  close(): Promise<void> {
    return this.#api.close()
  }

  /** Does the same for many zones, at first some at a time, then what is worth another try one by one. */
  async #each(
    zones: readonly TargetZone[],
    signal: AbortSignal,
    act: (zone: TargetZone, until: AbortSignal) => Promise<Problem | undefined>,
  ): Promise<readonly Refusal[]> {
    const refusals: Refusal[] = []
    let left = zones
    for (const [round, wait] of waits.entries()) {
      if (left.length === 0) break
      await sleep(wait, undefined, { signal })
      const isLast = round === waits.length - 1
      const again: TargetZone[] = []
      await inParallel(left, round === 0 ? callsAtOnce : 1, signal, async (zone, until) => {
        const problem = await act(zone, until)
        if (problem?.passes && !isLast) again.push(zone)
        else if (problem !== undefined) refusals.push({ id: zone.id, reason: problem.reason })
      })
      left = again
    }
    return refusals
  }

  /** Makes a zone, or what is there of that name, what it must be; gives why that cannot be. */
  async #add(zone: TargetZone, wanted: WantedZone, signal: AbortSignal): Promise<Problem | undefined> {
    const path = pathOf(zone.name)
    const make = () => this.#api.call({ method: 'POST', path: '/zones', body: { name: zone.name, ...wanted }, signal })
    let made = await make()
    if (made.status === 409) {
      const there = await this.#api.call({ method: 'GET', path: `${path}?rrsets=false`, signal })
      if (there.status !== 404 && there.status !== 200) return problemOf(there)
      const { serial, ...now } = fieldsOf(there.body)
      if (isOwn(now)) return { reason: ownZone(now), passes: false }
      // One that was left half made is not served for minutes, though its content came: it is not among the zones that PowerDNS has in mind.
      const isEmpty = isSecondary(now) && serial === 0
      if (there.status === 200 && !isEmpty) return this.#change(zone, now, wanted, signal)
      const gone = await this.#api.call({ method: 'DELETE', path, signal })
      if (gone.status !== 404 && gone.status >= 300) return problemOf(gone)
      made = await make()
    }
    return problemOf(made) ?? this.#retrieve(zone, signal)
  }

  async #change(
    zone: TargetZone,
    now: ReturnType<typeof fieldsOf>,
    wanted: WantedZone,
    signal: AbortSignal,
  ): Promise<Problem | undefined> {
    if (isAsWanted(now, wanted)) return undefined
    const changed = await this.#api.call({ method: 'PUT', path: pathOf(zone.name), body: wanted, signal })
    return problemOf(changed) ?? this.#retrieve(zone, signal)
  }

  /** Has the zone fetched now; PowerDNS acts on a NOTIFY after a second, and looks by itself only once a minute. */
  async #retrieve({ name }: TargetZone, signal: AbortSignal): Promise<Problem | undefined> {
    return problemOf(await this.#api.call({ method: 'PUT', path: `${pathOf(name)}/axfr-retrieve`, signal }))
  }

  async #wanted(): Promise<WantedZone> {
    const masters = (await masterAddresses(this.#masters)).map(masterText)
    const key = this.#keyName ?? this.#key?.name
    return { kind: 'Slave', masters, slave_tsig_key_ids: key === undefined ? [] : [canonical(key)] }
  }

  /** Lets the server have the key of the target; gives why that cannot be. */
  async #makeKey(signal: AbortSignal): Promise<string | undefined> {
    const name = this.#keyName ?? this.#key?.name
    if (name === undefined) return undefined
    const path = `/tsigkeys/${idOf(canonical(name))}`
    const there = await this.#api.call({ method: 'GET', path, signal })
    if (this.#key === undefined) return there.status === 200 ? undefined : `PowerDNS does not have the TSIG key ${name}`
    const { algorithm, secret } = this.#key
    if (there.status === 200 && isSameKey(fieldsOf(there.body), this.#key)) return undefined
    // A change of the algorithm would leave the old key beside the new one.
    if (there.status === 200) await this.#api.call({ method: 'DELETE', path, signal })
    const body = { name: canonical(name), algorithm, key: Buffer.from(secret).toString('base64') }
    const made = await this.#api.call({ method: 'POST', path: '/tsigkeys', body, signal })
    const problem = made.status === 409 ? undefined : problemOf(made)
    return problem && `the TSIG key ${name} cannot be made: ${problem.reason}`
  }
}

const ownZone = ({ kind }: ReturnType<typeof fieldsOf>): string =>
  `PowerDNS has a zone of this name of its own (kind ${kind}): remove it there, or the zone here`

const pathOf = (name: string): string => `/zones/${idOf(name)}`

/** Works on several at one time; the first that fails ends the rest. */
async function inParallel<T>(
  items: readonly T[],
  most: number,
  signal: AbortSignal,
  act: (item: T, until: AbortSignal) => Promise<void>,
): Promise<void> {
  const ended = new AbortController()
  const until = AbortSignal.any([signal, ended.signal])
  const left = items.values()
  const work = async () => {
    for (const item of left) await act(item, until)
  }
  const workers = Array.from({ length: Math.min(most, items.length) }, () =>
    work().catch((error) => {
      ended.abort(error)
      throw ended.signal.reason
    }),
  )
  await Promise.allSettled(workers)
  await Promise.all(workers)
}
