import type { Logger } from 'pino'
import { addressOf, followsCatalog, type PoolConfig } from './config.ts'
import { Notifier } from './notifier.ts'

/** Tells the servers of a pool of changes: its targets, or without any its name servers, and whoever else is to be told. */
export class Announcer {
  readonly #all: readonly Notifier[]
  readonly #ofCatalog: readonly Notifier[]
  readonly #others: readonly Notifier[]
  #later: NodeJS.Timeout | undefined

  constructor(config: PoolConfig, log: Logger) {
    const all = new Map<string, Notifier>()
    const at = ({ host, port }: { host: string; port: number }, key: PoolConfig['servers'][number]['key']) => {
      const place = `${host} ${port}`
      const notifier = all.get(place) ?? new Notifier({ host, port, key }, log)
      all.set(place, notifier)
      return notifier
    }
    const followers = config.targets.filter((target) => followsCatalog(config, target))
    this.#ofCatalog = [...new Set(followers.map((target) => at(addressOf(target), target.key)))]
    for (const target of config.targets) at(addressOf(target), target.key)
    if (config.targets.length === 0) for (const server of config.servers) at(server, server.key)
    this.#others = config.alsoNotify.map((host) => at(host, undefined))
    this.#all = [...all.values()]
  }

  /** Tells of a zone; `onlyOthers` leaves out the targets. */
  tellOf(zone: string, onlyOthers: boolean): void {
    for (const notifier of onlyOthers ? this.#others : this.#all) notifier.tell(zone)
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
    for (const notifier of this.#all) notifier.stop()
  }
}
