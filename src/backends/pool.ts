import { compareSerials } from '../dns/serial.ts'
import type { Shown } from '../exchange/exchange.ts'
import { Announcer } from './announcer.ts'
import { Coming } from './coming.ts'
import { followsCatalog, type PoolConfig, type PoolTarget, type ProofServer, targetOf } from './config.ts'
import { isSameServer, mayShow } from './given.ts'
import { HandOver } from './hand-over.ts'
import { Job } from './job.ts'
import type { Driver } from './kind.ts'
import { kinds } from './kinds/index.ts'
import { Leaving } from './leaving.ts'
import { type Lost, lostAt } from './lost.ts'
import { type PoolStats, poolStats } from './metrics.ts'
import { Outdated } from './outdated.ts'
import { deletedOf, pagesOf, samplesOf, strangersOf, unlistedOf } from './pages.ts'
import { openCatalog, type PoolCatalog } from './pool-catalog.ts'
import type { PoolOptions } from './pool-options.ts'
import { Recorder } from './recorder.ts'
import { relist } from './relist.ts'
import * as rows from './rows.ts'
import { type Expected, ServerProbe } from './server.ts'
import { ServerStates } from './states.ts'
import { TargetWorker } from './target.ts'

const catalogBatch = 1000
const sweepMilliseconds = 500
const primaryPatience = 1000
const giveAgainAfter = 5000
const auditMilliseconds = 3_600_000

/** Brings every zone of one pool to its servers, and notes what they show. It begins from rows, and may be stopped anywhere. */
export class PoolDelivery {
  readonly config: PoolConfig
  readonly #options: PoolOptions
  readonly #recorder: Recorder
  readonly #states: ServerStates
  readonly #announcer: Announcer
  readonly #leaving: Leaving
  readonly #coming: Coming
  readonly #probes: ReadonlyMap<string, ServerProbe>
  readonly #workers = new Map<string, TargetWorker>()
  readonly #jobs = new Map<string, Job>()
  readonly #deletedNames = new Map<string, Job>()
  readonly #lookedThrough = new Set<string>()
  readonly #outdated: Outdated
  readonly #stopped = new AbortController()
  readonly #timers: readonly NodeJS.Timeout[]
  #catalog: PoolCatalog | undefined
  #scanning: Promise<void> | undefined
  #isOpen = false

  constructor(config: PoolConfig, options: PoolOptions) {
    this.config = config
    this.#options = options
    this.#recorder = new Recorder(options)
    this.#states = new ServerStates(config, this.#recorder, options.log)
    this.#announcer = new Announcer(config, options.log)
    this.#leaving = new Leaving({
      ...options,
      poolId: config.id,
      drop: (id, zone) => this.#workers.get(id)?.drop(zone),
      handOver: new HandOver({ db: options.db, config, worker: (id) => this.#workers.get(id) }),
    })
    this.#coming = new Coming({ ...options, poolId: config.id, list: (id, present) => this.#list(id, present) })
    this.#outdated = new Outdated({ ...options, take: (zones) => this.take(zones) })
    this.#probes = new Map(config.servers.map((server) => [server.id, this.#probeOf(server)]))
    this.#timers = [
      setInterval(() => this.#sweep(), sweepMilliseconds),
      setInterval(() => config.servers.map(({ id }) => this.lookThrough(id)), auditMilliseconds),
    ]
  }

  /** How it is going, for metrics. */
  get stats(): PoolStats {
    return poolStats(this.config, this.#jobs.size, this.#probes.values())
  }

  async start(): Promise<void> {
    const { config } = this
    this.#catalog = await openCatalog(config, this.#options)
    if (this.#catalog !== undefined) this.#open(this.#catalog.target, this.#catalog.driver, catalogBatch)
    for (const target of config.targets) {
      const kind = kinds[target.type]
      if (kind === undefined || followsCatalog(config, target)) continue
      this.#open(target, kind.open(target, this.#options.mayAct), kind.batch)
    }
    await this.#options.db.write((tx) => rows.forgetServers(tx, config.id, [...this.#probes.keys()]))
    if (this.#catalog !== undefined) this.#tellOfCatalog(this.#catalog.serial)
    this.#isOpen = true
    this.#scanning = this.#scan().catch((error: unknown) => {
      if (!this.#stopped.signal.aborted) this.#options.log.error({ err: error }, 'a pool could not be looked through')
    })
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    for (const timer of this.#timers) clearInterval(timer)
    for (const probe of this.#probes.values()) probe.stop()
    this.#announcer.stop()
    await this.#scanning
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop()))
    await this.#recorder.stop()
  }

  /** Takes up zones that changed; those of other pools by now are let go. */
  async take(zones: readonly rows.ZoneRow[]): Promise<void> {
    // What changes before all is ready is found in the rows when they are looked through.
    if (this.#stopped.signal.aborted || !this.#isOpen) return
    for (const zone of zones) {
      if (zone.pool_id !== this.config.id || zone.gone_at !== null) this.#leave(zone.id)
      else if (zone.id === this.#catalog?.id) this.#tellOfCatalog(zone.serial)
    }
    const wanted = zones.filter((zone) => zone.pool_id === this.config.id && rows.isDeliverable(zone))
    if (wanted.length === 0) return
    const at = { poolId: this.config.id, servers: [...this.#probes.keys()] }
    const { targets, seen, namesakes } = await this.#options.db.read((tx) => rows.knownOf(tx, wanted, at))
    for (const zone of wanted) {
      const job = this.#begin(zone, seen.get(zone.id) ?? [])
      if (job === undefined) continue
      job.hasNamesake = job.isDeleted && namesakes.has(zone.name.toLowerCase())
      this.#give(job, targets.get(zone.id) ?? [])
      const served = this.#options.servedSerial(zone.id)
      if (job.isDeleted || (served !== undefined && job.isReadyAt(served))) this.#announce(job)
      this.#check(job)
    }
  }

  /** The built-in server has a zone up to a serial. */
  served(zoneId: string, serial: number): void {
    const job = this.#jobs.get(zoneId)
    if (job?.isReadyAt(serial)) this.#announce(job)
    if (zoneId === this.#catalog?.id) this.#tellOfCatalog(serial)
  }

  /** Asks a server for every zone of the pool, and goes after those it does not show as they are. */
  async lookThrough(serverId: string): Promise<void> {
    const probe = this.#probes.get(serverId)
    if (probe === undefined || this.#lookedThrough.has(serverId)) return
    this.#lookedThrough.add(serverId)
    try {
      for await (const zones of pagesOf(this.#options.db, this.config.id, this.#stopped.signal)) {
        const others = zones.filter((zone) => rows.isDeliverable(zone) && !this.#jobs.has(zone.id))
        const lost = await lostAt(probe, others)
        if (lost.length > 0) await this.#takeAnew(lost)
      }
    } catch {
      // A server that falls silent is looked through when it is back.
    } finally {
      this.#lookedThrough.delete(serverId)
    }
  }

  #open(target: PoolTarget, driver: Driver, batch: number): void {
    const each = (zones: readonly { id: string }[], act: (job: Job) => void) => {
      for (const { id } of zones) {
        const job = this.#jobs.get(id)
        if (job === undefined) continue
        act(job)
        if (job.isAnnounced) this.#expect(job)
        this.#check(job)
      }
    }
    const worker = new TargetWorker({
      ...this.#options,
      targetId: target.id,
      driver,
      batch,
      sharedWith: (others) => new Set(others.filter((one) => isSameServer(target, one)).map(({ zone_id }) => zone_id)),
      onAdded: (zones) => each(zones, (job) => !job.isDeleted && job.settled(target.id)),
      onDropped: (zones) => {
        for (const { id } of zones) this.#leaving.delete(id)
        each(zones, (job) => job.isDeleted && job.settled(target.id))
      },
      onRefused: (refusals) => {
        for (const { id, reason } of refusals) this.#jobs.get(id)?.refused(target.id, reason)
      },
      onState: (reason) => this.#states.takesZones(target, reason),
    })
    this.#workers.set(target.id, worker)
  }

  #probeOf(server: ProofServer): ServerProbe {
    return new ServerProbe(server, {
      onShown: (zone, shown) => this.#shown(server.id, zone, shown),
      onState: (reason) => {
        this.#states.answers(server, reason)
        if (reason === undefined) this.#cameBack(server.id)
      },
      sample: samplesOf(this.#options.db, { serverId: server.id, poolId: this.config.id }),
      onSample: (zone, shown) => {
        this.#states.sawWell(server.id)
        if (zone === undefined || this.#jobs.has(zone.id) || ('serial' in shown && shown.serial === zone.serial)) return
        this.#states.lost(server, zone.name)
        void this.lookThrough(server.id)
      },
    })
  }

  /** What is to be done of a zone now; undefined where that is being done already. */
  #begin(zone: rows.ZoneRow, seen: readonly rows.SeenRow[]): Job | undefined {
    const present = this.#jobs.get(zone.id)
    if (present !== undefined && !present.isNews(zone)) return undefined
    const since = zone.deleted_at === null ? present?.since : rows.momentOf(zone.deleted_at)
    const job = new Job(zone, seen, this.config, since ?? rows.momentOf(zone.changed_at))
    this.#jobs.set(zone.id, job)
    const name = zone.name.toLowerCase()
    if (job.isDeleted) this.#deletedNames.set(name, job)
    const former = this.#deletedNames.get(name)
    if (former !== undefined && former !== job) {
      former.hasNamesake = true
      this.#check(former)
    }
    return job
  }

  /** Has the targets be given a zone that they do not have as they should, or a deleted one be taken from them. */
  #give(job: Job, present: readonly rows.TargetZoneRow[]): void {
    for (const [id, worker] of this.#workers) {
      const row = present.find(({ target_id }) => target_id === id)
      if (job.isDeleted) {
        if (row === undefined && !worker.isAbout(job.zone.id)) continue
        job.awaitTarget(id, true)
        worker.drop(job.zone)
        continue
      }
      const target = targetOf(this.config, id)
      const since = this.#catalog?.target === target ? this.#catalog.created_at : ''
      const isThere = rows.isGiven(row, target.changedAt, since) && !worker.isAbout(job.zone.id)
      if (!isThere) job.awaitTarget(id, row?.added_at == null)
      if (this.#catalog?.target === target && this.#coming.mustWait(job.zone.id, present)) continue
      // A zone's group may have changed with the zone; a catalog that has it right is not changed.
      const mayBeRegrouped = followsCatalog(this.config, target) && job.group !== undefined
      if (!isThere || mayBeRegrouped) worker.add(job.member)
    }
  }

  /** Lists a zone that came from another pool, where it is still wanted. */
  #list(zoneId: string, present: readonly rows.TargetZoneRow[]): void {
    const job = this.#jobs.get(zoneId)
    if (job !== undefined && !job.isDeleted) this.#give(job, present)
  }

  /** Tells everybody of a change, and begins to ask for it. */
  #announce(job: Job): void {
    if (job.isAnnounced) return
    job.announced()
    this.#tell(job)
    this.#expect(job)
  }

  #expect(job: Job): void {
    const { id, name } = job.zone
    for (const [serverId, probe] of this.#probes) {
      if (!job.isShownBy(serverId) && this.#mayShow(job, probe.server)) probe.expect({ id, name, serial: job.wanted })
    }
  }

  #mayShow(job: Job, server: ProofServer): boolean {
    return mayShow(job, server.id, { config: this.config, catalog: this.#catalog?.target, given: this.#workers })
  }

  #tell(job: Job): void {
    if (job.isDeleted) return
    // A server that is given a zone takes it by itself.
    const isNew = this.#probes.values().every(({ server }) => !this.#mayShow(job, server))
    this.#announcer.tellOf(job.zone.name, isNew)
    if (!isNew) for (const worker of this.#workers.values()) worker.refresh(job.zone)
  }

  #tellOfCatalog(serial: number): void {
    const { id, name } = this.#catalog!
    const served = this.#options.servedSerial(id)
    const isServed = served !== undefined && compareSerials(served, serial) !== -1
    this.#announcer.tellOfCatalog(name, isServed ? 0 : primaryPatience)
  }

  #shown(serverId: string, expected: Expected, shown: Shown): boolean {
    const job = this.#jobs.get(expected.id)
    if (job === undefined) return true
    const { server } = this.#probes.get(serverId)!
    const refusal = this.#announcer.refusalOf(server, 'serial' in shown ? expected.name : this.#catalog?.name)
    const sight = job.sees(serverId, shown, refusal)
    if (sight !== undefined) this.#recorder.saw(sight)
    this.#states.hears(server, refusal, job.isShownBy(serverId))
    if (job.isOutdatedBy(serverId)) this.#outdated.add(expected.id)
    this.#check(job)
    return job.isShownBy(serverId)
  }

  /** Notes where a zone has got to. */
  #check(job: Job): void {
    const { id } = job.zone
    if (this.#jobs.get(id) !== job) return
    if (job.isGone) this.#recorder.gone(id)
    const serial = job.takePublishable()
    if (serial !== undefined) this.#recorder.published(id, serial)
    if (job.isOverTrouble) this.#recorder.trouble(id, null)
    if (!job.isGone && !job.isDone) return
    this.#jobs.delete(id)
    const name = job.zone.name.toLowerCase()
    if (this.#deletedNames.get(name) === job) this.#deletedNames.delete(name)
    for (const probe of this.#probes.values()) probe.forget(id)
  }

  /** Looks after what takes long: what is to be told again, what is past its grace, what has left. */
  #sweep(): void {
    for (const job of this.#jobs.values()) {
      if (!job.isAnnounced && performance.now() - job.begunAt > primaryPatience) this.#announce(job)
      if (job.isToBeToldAgain && this.#isWorthTelling(job)) this.#tellAgain(job)
      const trouble = job.takeTrouble((id) => this.#states.troubleOf(id))
      if (trouble !== undefined) this.#recorder.trouble(job.zone.id, trouble)
      this.#check(job)
    }
    void this.#leaving.look()
    void this.#outdated.look()
    void this.#coming.look()
  }

  /** Whether a server that answers does not show the zone: those that are silent are told when they are back. */
  #isWorthTelling(job: Job): boolean {
    return this.#probes
      .entries()
      .some(([id, { down, server }]) => down === undefined && !job.isShownBy(id) && this.#mayShow(job, server))
  }

  #tellAgain(job: Job): void {
    job.announced()
    if (this.#catalog !== undefined) this.#announcer.tellOfCatalog(this.#catalog.name)
    const signal = this.#stopped.signal
    if (job.isDeleted) void relist(job, { ...this.#options, catalog: this.#catalog, workers: this.#workers, signal })
    this.#tell(job)
    if (job.missingAt.length > 0 && performance.now() - job.givenAt > giveAgainAfter) this.#giveAgain(job)
  }

  /** Gives a zone again to targets that should have it, where a server turned out not to. */
  #giveAgain(job: Job): void {
    job.givenAt = performance.now()
    const { missingAt } = job
    for (const [id, worker] of this.#workers) {
      const showsItself = this.#probes.has(id) && !followsCatalog(this.config, targetOf(this.config, id))
      if (!showsItself || missingAt.includes(id)) worker.add(job.member)
    }
  }

  #leave(zoneId: string): void {
    this.#jobs.delete(zoneId)
    for (const probe of this.#probes.values()) probe.forget(zoneId)
    this.#leaving.add(zoneId)
  }

  /** A server that was away may have missed changes, or lost all it had. */
  #cameBack(serverId: string): void {
    for (const job of this.#jobs.values()) {
      if (job.isAnnounced && !job.isShownBy(serverId)) this.#tell(job)
    }
    if (this.#catalog !== undefined) this.#announcer.tellOfCatalog(this.#catalog.name)
    // Its control channel, if it has one, is most likely back too.
    for (const worker of this.#workers.values()) worker.tryNow()
    void this.lookThrough(serverId)
  }

  /** Begins zones anew that a server turned out not to have, whatever was noted of it. */
  async #takeAnew(lost: readonly Lost[]): Promise<void> {
    const ids = lost.map(({ zone_id }) => zone_id)
    const zones = await this.#options.db.read((tx) => rows.zonesWithIds(tx, ids))
    for (const zone of zones) {
      if (this.#jobs.has(zone.id) || zone.pool_id !== this.config.id || !rows.isDeliverable(zone)) continue
      const here = lost.find(({ zone_id }) => zone_id === zone.id)!
      // It changed while it was asked for: what others have of it is not known.
      if (zone.serial !== here.wanted) {
        await this.take([zone])
        continue
      }
      const seen = this.config.servers.map(({ id }) => ({ ...here, server_id: id, serial: zone.serial }))
      const job = this.#begin(zone, [...seen, here])
      if (job === undefined) continue
      this.#recorder.saw(here)
      if (here.serial === null) this.#giveAgain(job)
      this.#announce(job)
    }
  }

  async #scan(): Promise<void> {
    const { db } = this.#options
    const { signal } = this.#stopped
    const { id } = this.config
    for await (const zones of pagesOf(db, id, signal)) await this.take(zones)
    for await (const zones of deletedOf(db, id, signal)) await this.take(zones)
    for (const target of this.#workers.keys()) {
      for await (const found of strangersOf(db, { id: target, poolId: id }, signal)) {
        for (const { zone_id } of found) this.#leaving.add(zone_id)
      }
    }
    const catalog = this.#catalog
    if (catalog === undefined) return
    for await (const zones of unlistedOf(db, catalog, signal)) {
      for (const zone of zones) this.#workers.get(catalog.target.id)?.drop(zone)
    }
  }
}
