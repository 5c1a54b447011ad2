import { compareSerials } from '../dns/serial.ts'
import type { Shown } from '../exchange/exchange.ts'
import { type PoolConfig, placeText } from './config.ts'
import type { TargetZone } from './kind.ts'
import { isOfServers, type SeenRow, type Sight, type ZoneRow } from './rows.ts'

const [firstNotify, lastNotify] = [2000, 300_000]

/** A zone on its way to the servers of its pool, and what they show of it. */
export class Job {
  readonly zone: ZoneRow
  readonly begunAt = performance.now()
  /** The serial that servers are to show; null when they are to have the zone no more. */
  readonly wanted: number | null
  /** Its group in the pool's catalog zone. */
  readonly group: string | undefined
  /** When it was last given to targets that should have had it. */
  givenAt = performance.now()
  /** A zone of the same name lives: that servers answer for the name proves nothing. */
  hasNamesake = false
  readonly #config: PoolConfig
  readonly #seen = new Map<string, number | null>()
  readonly #errors = new Map<string, string>()
  readonly #refusals = new Map<string, string>()
  readonly #awaited = new Set<string>()
  readonly #lacking = new Set<string>()
  #since: number
  #published: number
  #troubleTold: string | undefined
  #notifies = 0
  #nextNotify = Number.POSITIVE_INFINITY

  constructor(zone: ZoneRow, seen: readonly SeenRow[], config: PoolConfig, since: number) {
    this.zone = zone
    this.wanted = zone.deleted_at === null ? zone.serial : null
    this.group = groupOf(zone)
    this.#config = config
    this.#since = since
    this.#published = zone.published_serial
    // That a server did not have the zone before it was deleted does not prove that it has it no more.
    if (this.wanted !== null) for (const { server_id, serial } of seen) this.#seen.set(server_id, serial)
  }

  /** What targets are given. */
  get member(): TargetZone {
    const { id, name } = this.zone
    return { id, name, ...(this.group !== undefined && { group: this.group }) }
  }

  /** Since when nothing has become of it. */
  get since(): number {
    return this.#since
  }

  /** Whether a row of the zone says something else than the one it goes by. */
  isNews(zone: ZoneRow): boolean {
    const isDeletion = zone.deleted_at !== null && !this.isDeleted
    // Rows are read at different moments: an older one says nothing any more.
    if (this.isDeleted || compareSerials(zone.serial, this.zone.serial) === -1) return isDeletion
    return isDeletion || zone.serial !== this.zone.serial || groupOf(zone) !== this.group
  }

  get isDeleted(): boolean {
    return this.wanted === null
  }

  /** Whether servers that ask the built-in one get what is wanted, when it has a serial. */
  isReadyAt(served: number): boolean {
    return this.wanted === null || compareSerials(served, this.wanted) !== -1
  }

  get isAnnounced(): boolean {
    return this.#nextNotify !== Number.POSITIVE_INFINITY
  }

  /** Notes that the servers were told of it, for the first time or again. */
  announced(): void {
    this.#nextNotify = performance.now() + Math.min(lastNotify, firstNotify * 2 ** this.#notifies++)
  }

  get isToBeToldAgain(): boolean {
    return performance.now() >= this.#nextNotify
  }

  /** A target is to be given or to let go of the zone; with `isFirst`, it cannot show what is wanted before. */
  awaitTarget(id: string, isFirst: boolean): void {
    this.#awaited.add(id)
    if (isFirst) this.#lacking.add(id)
  }

  /** Whether a target cannot show what is wanted yet. */
  isLackingAt(targetId: string): boolean {
    return this.#lacking.has(targetId)
  }

  /** A target has what it should have. */
  settled(targetId: string): void {
    this.#awaited.delete(targetId)
    this.#lacking.delete(targetId)
    this.#refusals.delete(targetId)
  }

  refused(targetId: string, reason: string): void {
    this.#refusals.set(targetId, reason)
  }

  /** Notes what a server shows, and how it refuses to be told; the sight is to be written down where it is another than before. */
  sees(serverId: string, shown: Shown, refusal?: string | null): Sight | undefined {
    const serial = 'serial' in shown ? shown.serial : null
    const error = this.#errorOf(shown, refusal ?? undefined)
    const isSame = this.#seen.get(serverId) === serial && this.#errors.get(serverId) === error
    this.#seen.set(serverId, serial)
    if (error === undefined) this.#errors.delete(serverId)
    else this.#errors.set(serverId, error)
    return isSame ? undefined : { zone_id: this.zone.id, server_id: serverId, serial, error: error ?? null }
  }

  #errorOf(shown: Shown, refusal: string | undefined): string | undefined {
    if (this.wanted === null) return undefined
    if ('absent' in shown) return refusal === undefined ? shown.absent : `${shown.absent}; ${refusalText(refusal)}`
    if (refusal !== undefined && compareSerials(shown.serial, this.wanted) === -1) return refusalText(refusal)
    return compareSerials(shown.serial, this.wanted) === 1
      ? `it shows serial ${shown.serial}, which is newer than ours: it did not get that from here`
      : undefined
  }

  /** Whether a server shows something newer than what is wanted: the zone may have changed since its row was read. */
  isOutdatedBy(serverId: string): boolean {
    const seen = this.#seen.get(serverId)
    return this.wanted !== null && typeof seen === 'number' && compareSerials(seen, this.wanted) === 1
  }

  isShownBy(serverId: string): boolean {
    const seen = this.#seen.get(serverId)
    return seen !== undefined && seen === this.wanted
  }

  /** The servers that answer for it and do not have it. */
  get missingAt(): string[] {
    return this.wanted === null ? [] : this.#ids.filter((id) => this.#seen.get(id) === null)
  }

  get #ids(): string[] {
    return this.#config.servers.map(({ id }) => id)
  }

  /** The serial that enough servers show by now, where it is newer than the one that is published. */
  takePublishable(): number | undefined {
    if (this.wanted === null) return undefined
    const { threshold } = this.#config
    const serials = this.#ids
      .map((id) => this.#seen.get(id) ?? undefined)
      .filter((serial) => serial !== undefined && serial <= this.wanted!) as number[]
    const serial = serials.toSorted((a, b) => b - a)[threshold - 1]
    if (serial === undefined || serial <= this.#published) return undefined
    this.#published = serial
    this.#since = Date.now()
    return serial
  }

  get isPublished(): boolean {
    return this.#published === this.wanted
  }

  /** Every server shows it, and every target has it. */
  get isDone(): boolean {
    return this.isPublished && this.#awaited.size === 0 && this.#ids.every((id) => this.isShownBy(id))
  }

  /** Enough servers have it no more. Those that cannot be spoken to for too long drop it when they are back. */
  get isGone(): boolean {
    if (this.wanted !== null) return false
    if (Date.now() - this.#since > this.#config.graceMilliseconds) return true
    // That servers answer for the name proves nothing where another zone has it; that their targets dropped it does.
    if (this.hasNamesake) return this.#awaited.size === 0
    return this.#ids.filter((id) => this.isShownBy(id)).length >= this.#config.threshold
  }

  /** Whether trouble was noted of it that is over. */
  get isOverTrouble(): boolean {
    const isOver = this.isPublished && (this.#troubleTold !== undefined || isOfServers(this.zone.trouble))
    if (isOver) this.#troubleTold = undefined
    return isOver
  }

  /** What a person must know, where it is time for that and it was not told yet; `silence` tells why a server cannot be asked. */
  takeTrouble(silence: (serverId: string) => string | undefined): string | undefined {
    if (this.wanted === null || this.isPublished) return undefined
    if (Date.now() - this.#since < this.#config.graceMilliseconds) return undefined
    const trouble = this.#trouble(silence)
    if (trouble === this.#troubleTold) return undefined
    this.#troubleTold = trouble
    return trouble
  }

  #trouble(silence: (serverId: string) => string | undefined): string {
    const { servers, targets, threshold } = this.#config
    const behind = servers.filter(({ id }) => !this.isShownBy(id))
    const reasons = behind.map(({ id, host, port }) => {
      const seen = this.#seen.get(id)
      const shows = typeof seen === 'number' ? `it shows serial ${seen}` : 'it has not shown the zone yet'
      return `${placeText({ host, port })}: ${silence(id) ?? this.#refusals.get(id) ?? this.#errors.get(id) ?? shows}`
    })
    for (const { id, type } of targets) {
      const reason = this.#refusals.get(id) ?? (this.#awaited.has(id) ? silence(id) : undefined)
      if (reason !== undefined && !behind.some((server) => server.id === id)) reasons.push(`${type}: ${reason}`)
    }
    const shown = servers.length - behind.length
    return `${shown} of ${servers.length} show serial ${this.wanted}, ${threshold} must; ${reasons.join('; ')}`
  }
}

/** What it means that a server refuses NOTIFY. */
export const refusalText = (rcode: string): string =>
  `it refuses NOTIFY from us (${rcode}), and takes changes only when it asks by itself`

function groupOf({ attributes }: ZoneRow): string | undefined {
  const { catalog_group } = JSON.parse(attributes) as Record<string, string>
  return catalog_group
}
