import type { TargetZone } from '../../src/backends/kind.ts'
import { kinds } from '../../src/backends/kinds/index.ts'
import { askUdp } from '../../test/support/dns-transports.ts'
import { update } from '../../test/support/masters.ts'
import { query } from '../../test/support/nameserver.ts'
import { type NameServer, startNamed } from '../../test/support/nameservers.ts'
import { type DeliveryTarget, targetOf } from '../../test/support/targets.ts'
import type { Contestant } from './contestants.ts'
import { addressAt, Watch, zoneOf } from './watch.ts'

const catalog = 'catalog.limit.'
const plain = '@ 60 SOA ns1 host 1 3600 600 86400 60\n@ 60 NS ns1\nns1 60 A 192.0.2.1\n'
const empty = '@ 0 SOA invalid. invalid. 1 60 10 2147483646 0\n@ 0 NS invalid.\nversion 0 TXT "2"\n'
const options = 'allow-update { 127.0.0.1; }; tcp-clients 1000; transfers-out 1000;'
const changed = 'changed.limit.'
const inOneUpdate = 300

/** What the server itself takes: a BIND that has everything already is its primary, and nothing but NOTIFY is waited for. */
export class Limit {
  readonly #primary: NameServer
  readonly #server: DeliveryTarget
  readonly #give: (zones: readonly TargetZone[]) => Promise<number>
  readonly #watch: Watch
  readonly #waiting: TargetZone[]
  #changes = 0

  static async start({ type, start }: Contestant, zones: number): Promise<Limit> {
    const waiting = Array.from({ length: zones }, (_, i) => ({ id: `id${i}`, name: `z${i}.limit.` }))
    const texts = [changed, ...waiting.map(({ name }) => name)].map((origin) => ({ origin, text: plain }))
    const primary = await startNamed([...texts, { origin: catalog, text: empty }], options)
    const place = { host: '127.0.0.1', port: primary.port }
    try {
      const server = await start({ catalog, primary: place })
      const driver = kinds[type]!.open(targetOf(type, server.options, { masters: [place] }))
      const give = async (some: readonly TargetZone[]) => {
        if (type === 'catalog') return list(primary, server.port, some)
        const began = performance.now()
        for (let at = 0; at < some.length; at += kinds[type]!.batch) {
          const refused = await driver.addZones(some.slice(at, at + kinds[type]!.batch), AbortSignal.timeout(60_000))
          if (refused.length > 0) throw new Error(refused[0]!.reason)
        }
        return began
      }
      const limit = new Limit(primary, server, give, await Watch.at(server.port), waiting)
      await limit.#watchGiven([{ id: 'changed', name: changed }])
      return limit
    } catch (error) {
      await primary.stop()
      throw error
    }
  }

  private constructor(
    primary: NameServer,
    server: DeliveryTarget,
    give: (zones: readonly TargetZone[]) => Promise<number>,
    watch: Watch,
    waiting: TargetZone[],
  ) {
    this.#primary = primary
    this.#server = server
    this.#give = give
    this.#watch = watch
    this.#waiting = waiting
  }

  /** Milliseconds from NOTIFY until a new record is shown. */
  async change(): Promise<number> {
    const i = this.#changes++
    const [name, address] = [`n${i}.${changed}`, `10.1.${i >> 8}.${i & 255}`]
    await update(this.#primary, changed, [`update add ${name} 60 A ${address}`])
    const began = performance.now()
    void notify(this.#server.port, changed)
    return (await this.#watch.until(addressAt(name, address))) - began
  }

  /** Milliseconds from the moment that the server is told of new zones until it answers for all of them. */
  async zones(count: number): Promise<number> {
    return this.#watchGiven(this.#waiting.splice(0, count))
  }

  async stop(): Promise<void> {
    this.#watch.close()
    await this.#server.stop()
    await this.#primary.stop()
  }

  async #watchGiven(zones: readonly TargetZone[]): Promise<number> {
    const sought = zones.map(({ name }) => zoneOf(name))
    const began = await this.#give(zones)
    const last = zones.length === 1 ? this.#watch.until(sought[0]!) : this.#watch.untilAll(new Set(sought), () => true)
    return (await last) - began
  }
}

/** Lists zones in the catalog that the primary has, and tells the server of it; when it was told. */
async function list(primary: NameServer, port: number, zones: readonly TargetZone[]): Promise<number> {
  const lines = zones.map(({ id, name }) => `update add ${id}.zones.${catalog} 0 PTR ${name}`)
  for (let at = inOneUpdate; at < lines.length; at += inOneUpdate + 1) lines.splice(at, 0, 'send')
  await update(primary, catalog, lines)
  const told = performance.now()
  void notify(port, catalog)
  return told
}

const notify = (port: number, zone: string): Promise<unknown> =>
  askUdp({ host: '127.0.0.1', port }, query(zone, 'SOA', { opcode: 4 }), 500)
