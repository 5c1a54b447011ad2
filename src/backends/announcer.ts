import type { Logger } from 'pino'
import { addressOf, followsCatalog, type PoolConfig, placeText } from './config.ts'
import type { HostPort } from './kind.ts'
import { Notifier } from './notifier.ts'

/** Tells the servers of a pool of changes: its targets, or without any its name servers, and whoever else is to be told. */
export class Announcer {
  readonly #all: ReadonlyMap<string, Notifier>
  readonly #ofCatalog: readonly Notifier[]
  readonly #others: readonly Notifier[]
  #later: NodeJS.Timeout | undefined

  constructor(config: PoolConfig, log: Logger) {
    const all = new Map<string, Notifier>()
    const at = ({ host, port }: { host: string; port: number }, key: PoolConfig['servers'][number]['key']) => {
      const place = placeText({ host, port })
      const notifier = all.get(place) ?? new Notifier({ host, port, key }, log)
      all.set(place, notifier)
      return notifier
    }
    const followers = config.targets.filter((target) => followsCatalog(config, target))
    this.#ofCatalog = [...new Set(followers.map((target) => at(addressOf(target), target.key)))]
    for (const target of config.targets) at(addressOf(target), target.key)
    if (config.targets.length === 0) for (const server of config.servers) at(server, server.key)
    this.#others = config.alsoNotify.map((host) => at(host, undefined))
    this.#all = all
  }

  /** How a server refuses to be told of a zone; undefined when it does not, null when it does so of others. */
  refusalOf(server: HostPort, zone: string | undefined): string | null | undefined {
    const notifier = this.#all.get(placeText(server))
    return (zone === undefined ? undefined : notifier?.refusalOf(zone)) ?? (notifier?.isRefused ? null : undefined)
  }

  /** Tells of a zone; `onlyOthers` leaves out the targets. */
  tellOf(zone: string, onlyOthers: boolean): void {
    for (const notifier of onlyOthers ? this.#others : this.#all.values()) notifier.tell(zone)
  }

  /** Tells of the catalog zone, at once or in so many milliseconds. */
  tellOfCatalog(zone: string, wait = 0): void {
    clearTimeout(this.#later)
    const tell = () => {
      for (const notifier of this.#ofCatalog) notifier.tell(zone)
    }
    if (wait === 0) tell()
    else this.#later = setTimeout(tell, wait)
  }

  stop(): void {
    clearTimeout(this.#later)
    for (const notifier of this.#all.values()) notifier.stop()
  }
}
