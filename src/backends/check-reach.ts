import { RCODE, rcodeName } from '../dns/codes.ts'
import { Exchange, NoAnswer } from '../exchange/exchange.ts'
import { type CheckContext, placeOf } from './checks.ts'
import { addressOf, followsCatalog, type PoolConfig, type ProofServer, placeText } from './config.ts'
import { refusalText } from './job.ts'
import { type Finding, Unreachable } from './kind.ts'
import { checkCatalog } from './kinds/catalog.ts'
import { kinds } from './kinds/index.ts'
import { silenceMend } from './mendable.ts'
import { catalogSerialOf, nextZoneAt } from './rows.ts'

const patience = 2000

/** Reaches every target and name server of a pool, and tells of each what is wrong and how to mend it. */
export async function checkReach({ db, config, signal, report }: CheckContext): Promise<void> {
  const tell = (serverId: string, findings: readonly Finding[]) => {
    for (const { level, what, mend } of findings) {
      report({ ...placeOf(config, serverId), zone: null, level, what, mend: mend ?? null })
    }
  }
  const catalog = await db.read((tx) => catalogSerialOf(tx, config.id))
  for (const target of config.targets) {
    tell(
      target.id,
      followsCatalog(config, target) ? await checkCatalog(target, catalog, signal) : await checkTarget(target, signal),
    )
  }
  for (const server of config.servers) {
    tell(server.id, await checkServer(server))
    const zone = await db.read((tx) => nextZoneAt(tx, { serverId: server.id, poolId: config.id }, ''))
    if (zone !== undefined) tell(server.id, await checkNotify(config, server, zone.name))
  }
  if (config.targets.length === 0) {
    const what = 'no target: zones are not given to the servers, which must have them by their own configuration'
    report({ server_id: '', server: 'the pool', zone: null, level: 'warning', what, mend: 'add a target to the pool' })
  }
}

async function checkTarget(target: PoolConfig['targets'][number], signal: AbortSignal): Promise<readonly Finding[]> {
  const kind = kinds[target.type]
  if (kind === undefined) {
    const mend = `make it one of ${Object.keys(kinds).join(', ')}`
    return [{ level: 'error', what: `there is no kind of target ${target.type}`, mend }]
  }
  const driver = kind.open(target)
  try {
    return await driver.check(signal)
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    return [
      {
        level: 'error',
        what: error.message,
        mend: 'see that the server runs, and that the options of the target are right',
      },
    ]
  } finally {
    await driver.close()
  }
}

async function checkServer(server: PoolConfig['servers'][number]): Promise<readonly Finding[]> {
  const exchange = new Exchange(server)
  try {
    await exchange.serial('.', patience)
    return [{ level: 'ok', what: 'it answers questions over UDP' }]
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return [await overTcp(exchange, error.message)]
  } finally {
    exchange.close()
  }
}

/** Whether a server that is told of changes lets itself be told; nothing comes of telling it what it knows. */
async function checkNotify(config: PoolConfig, server: ProofServer, zone: string): Promise<readonly Finding[]> {
  const target = config.targets.find((one) => placeText(addressOf(one)) === placeText(server))
  // Name servers beside the targets are not told, and PowerDNS is told of changes by its API too.
  if (target === undefined ? config.targets.length > 0 : target.type === 'pdns4') return []
  const exchange = new Exchange({ ...server, key: target === undefined ? server.key : target.key })
  try {
    const rcode = await exchange.notify(zone, undefined, patience)
    if (rcode === RCODE.NOERROR) return [{ level: 'ok', what: 'it takes NOTIFY from us' }]
    const mend =
      'let it take NOTIFY from this service: allow-notify of BIND and of NSD, an acl of Knot with action notify, allow-notify-from of PowerDNS. ' +
      'If it knows this machine by another address, set dns_source to that'
    return [{ level: 'error', what: `${refusalText(rcodeName(rcode))} (asked with ${zone})`, mend }]
  } catch (error) {
    // What is silent is told of already.
    if (error instanceof NoAnswer) return []
    throw error
  } finally {
    exchange.close()
  }
}

async function overTcp(exchange: Exchange, reason: string): Promise<Finding> {
  try {
    await exchange.serialOverTcp('.', patience)
    const mend = 'let UDP through to it; until then it is asked over TCP, which is slower'
    return { level: 'warning', what: `over UDP: ${reason}; over TCP it answers`, mend }
  } catch {
    const mend = silenceMend(reason, {
      key: 'let the server have the TSIG key under the same name, algorithm and secret, and look at the clocks of both',
      otherwise:
        'see that the server runs, that it listens at this address and port, and that no firewall stands between',
    })
    return { level: 'error', what: `no answer to questions: ${reason}`, mend }
  }
}
