import { isNewerSerial } from '../../dns/serial.ts'
import { Exchange, NoAnswer, type Shown } from '../../exchange/exchange.ts'
import { catalogRecipes } from '../catalog-recipes.ts'
import type { Driver, Finding, Kind, Target } from '../kind.ts'
import { silenceMend } from '../mendable.ts'

/** A catalog zone as it is now. */
export type CurrentCatalog = { readonly name: string; readonly serial: number }

const patience = 2000
const attempts = 3

/**
 * Any server that follows a catalog zone. Which zones the catalog lists is changed where the pool is delivered, once for
 * all its servers, so there is nothing to add or drop here. The options `catalog_zone` and `catalog_serial`, which are
 * set by whoever opens it, tell what a check looks for.
 */
export const catalog: Kind = { batch: 1000, open: openCatalog }

function openCatalog(target: Target): Driver {
  const { catalog_zone: name, catalog_serial: serial } = target.options
  const current = name === undefined ? undefined : { name: String(name), serial: Number(serial ?? 0) }
  return {
    addZones: async () => [],
    dropZones: async () => [],
    check: (signal) => checkCatalog(target, current, signal),
    close: async () => {},
  }
}

/** Looks whether a server has the catalog zone of its pool, and has it as it is now; whatever the kind of the server is. */
export async function checkCatalog(
  target: Asked & Pick<Target, 'options'>,
  current: CurrentCatalog | undefined,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  if (current === undefined) {
    const mend = 'wait a moment and look again: it is made when zones are first delivered to the pool'
    return [{ level: 'warning', what: 'the pool has no catalog zone yet', mend }]
  }
  const { options, key } = target
  const exchange = new Exchange({ host: String(options.host), port: Number(options.port), key })
  const stop = () => exchange.close()
  signal.addEventListener('abort', stop)
  try {
    return [findingOf(await shownBy(exchange, current.name), current, target), ...leftovers(target)]
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return [unanswered(error, current, target)]
  } finally {
    signal.removeEventListener('abort', stop)
    exchange.close()
  }
}

/** What the server says: over UDP, where a datagram may be lost, and then over TCP; Knot answers for catalogs over TCP alone. */
async function shownBy(exchange: Exchange, zone: string): Promise<Shown> {
  for (let attempt = 1; attempt < attempts; attempt++) {
    try {
      const shown = await exchange.serial(zone, patience)
      if ('serial' in shown) return shown
      break
    } catch (error) {
      if (!(error instanceof NoAnswer) || error.message !== 'it does not answer') throw error
    }
  }
  return exchange.serialOverTcp(zone, patience)
}

type Asked = Pick<Target, 'type' | 'masters' | 'key'>

function findingOf(shown: Shown, { name, serial }: CurrentCatalog, target: Asked): Finding {
  if ('absent' in shown) {
    // A server says so of a zone that it is to have and could not take.
    if (shown.absent === 'it answers SERVFAIL') return notTaken(name)
    return { level: 'error', what: `the catalog zone ${name}: ${shown.absent}`, mend: recipes(name, target) }
  }
  if (isNewerSerial(serial, shown.serial)) {
    const mend = `look whether the server takes NOTIFY from this service and may transfer ${name} from it: the addresses are those of the pool's transfers, the key that of its target`
    return { level: 'warning', what: `the catalog zone ${name} is at ${shown.serial} there, and ${serial} here`, mend }
  }
  return { level: 'ok', what: `the catalog zone ${name} is there, at ${shown.serial}` }
}

function notTaken(name: string): Finding {
  const mend =
    'its log tells why. Transfers are allowed from the address of the target alone, and with its key where it has one: ' +
    'let the server ask from there. Where one was refused, the log of this service has "a transfer is refused", with the address and key'
  return {
    level: 'error',
    what: `the catalog zone ${name}: the server knows of it and could not take it (SERVFAIL)`,
    mend,
  }
}

function unanswered({ message }: NoAnswer, { name }: CurrentCatalog, { key }: Asked): Finding {
  const mend = silenceMend(message, {
    key: `let the server have the key ${key?.name} with the secret and algorithm that it has here, and look at the clocks of both`,
    otherwise: 'start the server, or correct host and port of the target; no firewall may stand in between',
  })
  return { level: 'error', what: `the catalog zone ${name} cannot be asked for: ${message}`, mend }
}

/** What is to be known of a server that was given zones in its own way before it followed a catalog; it does not tell which. */
function leftovers({ type }: Asked): readonly Finding[] {
  if (type === 'catalog') return []
  const mend =
    'if it was: let it forget them once it follows the catalog, which then gives them back; the section "From control channels to a catalog" of docs/operating.md tells how'
  return [
    {
      level: 'ok',
      what: 'zones that it was given over its control channel before stay there when they are deleted',
      mend,
    },
  ]
}

function recipes(catalog: string, { type, masters, key }: Asked): string {
  // The port is the preset of dns_listen.
  const primary = masters[0] ?? { host: '(the address of this service)', port: 5354 }
  return catalogRecipes({ catalog, primary, key: key && { name: key.name, algorithm: key.algorithm } }, type)
}
