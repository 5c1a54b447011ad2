import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Service, startService } from '../../test/support/service.ts'
import type { DeliveryTarget } from '../../test/support/targets.ts'
import { cpuOf } from '../nameserver/usage.ts'
import { type Answer, Client } from './client.ts'
import type { Contestant } from './contestants.ts'
import { addressAt, nap, type Sought, Watch, zoneOf } from './watch.ts'

/** When what was written was shown by the server, and when its status said so; milliseconds since the answer to the request. */
export type Timed = { readonly served: number; readonly active: number }

/** The same for many zones, since before the first of them, and when the last was answered. */
export type Burst = Timed & { readonly posted: number; readonly cpu: number }

type Made = { readonly id: string; readonly name: string; readonly status: string }

const pool = '794ccc2c-d751-44fe-b57f-8894c9f5c842'
const env = { NAMEPLANE_LOG_LEVEL: 'warn', NAMEPLANE_QUOTA_ZONES: '-1', NAMEPLANE_QUOTA_ZONE_RECORDSETS: '-1' }
const patience = 180_000

/** Our service with one server in its default pool, or none but the built-in one. */
export class Ours {
  readonly #service: Service
  readonly #server: DeliveryTarget | undefined
  readonly #watch: Watch
  readonly #client: Client
  readonly #database: DatabaseSync
  readonly #pending: StatementSync
  #zone: Made | undefined
  #made = 0

  static async start(contestant?: Contestant): Promise<Ours> {
    const service = await startService({ env: env })
    try {
      const primary = { host: '127.0.0.1', port: service.dnsPort }
      const server = await contestant?.start({ catalog: 'default.catalog.invalid.', primary })
      const ours = new Ours(
        service,
        server,
        await Watch.at(server?.port ?? service.dnsPort),
        await Client.to(service.url),
      )
      if (server !== undefined) await ours.#join(contestant!.type, server, primary)
      ours.#zone = await ours.#firstZone()
      return ours
    } catch (error) {
      await service.stop()
      throw error
    }
  }

  private constructor(service: Service, server: DeliveryTarget | undefined, watch: Watch, client: Client) {
    this.#service = service
    this.#server = server
    this.#watch = watch
    this.#client = client
    this.#database = new DatabaseSync(join(service.dataDir, 'nameplane.db'), { readOnly: true })
    this.#pending = this.#database.prepare(
      "select count(*) as zones from zones where type = 'PRIMARY' and published_serial < serial",
    )
  }

  /** Makes a record, or changes one that is there. */
  async change(): Promise<Timed> {
    const i = this.#made++
    const zone = this.#zone!
    const isNew = i % 2 === 0
    const [name, address] = [`n${isNew ? i : i - 1}.${zone.name}`, `10.2.${i >> 8}.${i & 255}`]
    const answer = isNew
      ? await this.#send('POST', `/v2/zones/${zone.id}/recordsets`, { name, type: 'A', records: [address] })
      : await this.#send('PUT', `/v2/zones/${zone.id}/recordsets/${name}/A`, { records: [address] })
    const served = await this.#watch.until(addressAt(name, address))
    const { id } = madeOf(answer)
    const active = await this.#untilActive(`/v2/zones/${zone.id}/recordsets/${id}`)
    return { served: served - answer.at, active: active - answer.at }
  }

  /** Makes a zone. */
  async zone(): Promise<Timed> {
    const name = `z${this.#made++}.ours.`
    const answer = await this.#send('POST', '/v2/zones', { name, email: 'host@example.org' })
    const served = await this.#watch.until(zoneOf(name))
    const active = await this.#untilActive(`/v2/zones/${madeOf(answer).id}`)
    return { served: served - answer.at, active: active - answer.at }
  }

  /** Makes many zones, with eight clients. */
  async burst(count: number): Promise<Burst> {
    const cpu = this.cpu()
    const began = performance.now()
    const sought = new Set<Sought>()
    let [left, underWay, posted] = [count, 8, 0]
    const post = async (client: Client) => {
      while (left-- > 0) {
        const name = `z${this.#made++}.ours.`
        posted = (await client.send('POST', '/v2/zones', { name, email: 'host@example.org' })).at
        sought.add(zoneOf(name))
      }
      underWay--
      client.close()
    }
    const clients = Promise.all(Array.from({ length: underWay }, async () => post(await Client.to(this.#service.url))))
    const active = this.#untilNonePending(() => underWay === 0)
    const served = await this.#watch.untilAll(sought, () => underWay === 0)
    await clients
    const times = { posted: posted - began, served: served - began, active: (await active) - began }
    return { ...times, cpu: (this.cpu() - cpu) / count }
  }

  /** The processor time that our process has used, in microseconds. */
  cpu(): number {
    return cpuOf(this.#service.pid())
  }

  /** What it has logged: nothing, when all went well. */
  log(): string {
    return this.#service.log()
  }

  async stop(): Promise<void> {
    this.#watch.close()
    this.#client.close()
    this.#database.close()
    await this.#service.stop()
    await this.#server?.stop()
  }

  async #join(type: string, { options }: DeliveryTarget, primary: { host: string; port: number }): Promise<void> {
    const masters = type === 'catalog' || type === 'nsd4' ? [] : [primary]
    await this.#send('POST', `/v2/pools/${pool}/targets`, { type, options, masters })
    const end = performance.now() + patience
    while (performance.now() < end) {
      if (madeOf(await this.#send('GET', `/v2/pools/${pool}/servers`)).status === 'ACTIVE') return
      await sleep(50)
    }
    throw new Error(`the server is not seen to be up: ${this.log()}`)
  }

  async #firstZone(): Promise<Made> {
    const zone = madeOf(await this.#send('POST', '/v2/zones', { name: 'changed.ours.', email: 'host@example.org' }))
    await this.#untilActive(`/v2/zones/${zone.id}`)
    return zone
  }

  /** Looks into the database, which takes no time of our process, and asks for the status when it should be so. */
  async #untilActive(path: string): Promise<number> {
    const end = performance.now() + patience
    while (performance.now() < end) {
      while (this.#countPending() > 0 && performance.now() < end) nap()
      const answer = await this.#send('GET', path)
      if (madeOf(answer).status === 'ACTIVE') return answer.at
    }
    throw new Error(`${path} is not ACTIVE within ${patience / 1000} s: ${this.log()}`)
  }

  async #untilNonePending(isComplete: () => boolean): Promise<number> {
    const end = performance.now() + patience
    while (performance.now() < end) {
      await sleep(5)
      if (!isComplete() || this.#countPending() > 0) continue
      const { body, at } = await this.#send('GET', '/v2/zones?status=PENDING&limit=1')
      if ((JSON.parse(body) as { zones: unknown[] }).zones.length === 0) return at
    }
    throw new Error(`${this.#countPending()} zones are not ACTIVE within ${patience / 1000} s: ${this.log()}`)
  }

  #countPending(): number {
    return (this.#pending.get() as { zones: number }).zones
  }

  #send(method: string, path: string, body?: object): Promise<Answer> {
    return this.#client.send(method, path, body)
  }
}

const madeOf = ({ body }: Answer): Made => JSON.parse(body) as Made
