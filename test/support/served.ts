import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { systemClock } from '../../src/clock.ts'
import { openDatabase } from '../../src/db/open.ts'
import { decodeMessage, type Message } from '../../src/dns/message.ts'
import type { ResourceRecord } from '../../src/dns/record.ts'
import { signRequest, type TsigKey } from '../../src/dns/tsig.ts'
import { StreamVerifier } from '../../src/dns/tsig-stream.ts'
import { typeCode } from '../../src/dns/types/index.ts'
import type { KeeperOptions } from '../../src/nameserver/keeper.ts'
import { type Nameserver, startNameserver } from '../../src/nameserver/start.ts'
import { askUdp, TcpClient, tcpLimits } from './dns-transports.ts'
import { testSettings as dnsSettings, query } from './nameserver.ts'
import { testSettings } from './settings.ts'
import { linesOf } from './zones.ts'
import { startZonesApi, type ZonesApi } from './zones-api.ts'

/** The API and the name server over one database, as `main.ts` puts them together. */
export type Served = {
  readonly api: ZonesApi
  readonly dns: () => Nameserver
  readonly port: () => number
  /** Stops the name server and starts it again, on another port, over the same database. */
  restart(more?: Partial<KeeperOptions>): Promise<void>
  /** Stops the name server alone. */
  stop(): Promise<void>
  close(): Promise<void>
}

export async function startServed(
  options: { readonly url?: string; readonly keeper?: Partial<KeeperOptions> } = {},
): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'nameplane-served-'))
  const database = { url: options.url, dataDir: folder }
  const newStore = async () => {
    const db = await openDatabase({ ...database, onIdleError: () => {} })
    return { db, remove: () => db.close() }
  }
  const api = await startZonesApi(newStore)
  const start = (more: Partial<KeeperOptions> = {}) =>
    startNameserver({
      db: api.db,
      clock: systemClock,
      log: pino({ level: 'silent' }, new Writable()),
      keeper: {
        database,
        secretKey: testSettings.secrets.key,
        listen: [{ host: '127.0.0.1', port: 0 }],
        udp: 'auto',
        threads: 1,
        load: 'start',
        settings: dnsSettings,
        tcp: tcpLimits,
        rate: undefined,
        log: { level: 'silent', format: 'json' },
        ...options.keeper,
        ...more,
      },
    })
  let dns: Nameserver | undefined = await start()
  const stop = async () => {
    await dns?.close()
    dns = undefined
  }
  return {
    api,
    dns: () => dns!,
    port: () => dns!.listening[0]!.port,
    stop,
    async restart(more) {
      await stop()
      dns = await start(more)
    },
    async close() {
      await stop()
      await api.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The reply to a question over UDP. */
export async function dig(port: number, name: string, type: string, more: Parameters<typeof query>[2] = {}) {
  const reply = await askUdp({ host: '127.0.0.1', port }, query(name, type, more), 10_000)
  if (reply === undefined) throw new Error(`no reply to ${name} ${type}`)
  return decodeMessage(reply)
}

/** Asks until the reply is as wanted; what it was in the end. Bounded by `patience` milliseconds. */
export async function digUntil(
  port: number,
  [name, type]: readonly [string, string],
  isRight: (reply: Message) => boolean,
  patience = 20_000,
): Promise<Message> {
  const end = Date.now() + patience
  for (;;) {
    const reply = await dig(port, name, type, { edns: {} })
    if (isRight(reply) || Date.now() > end) return reply
    await sleep(2)
  }
}

/** Waits, for a bounded time, until something holds; whether it did. */
export async function until(holds: () => boolean | Promise<boolean>, patience = 40_000): Promise<boolean> {
  const end = Date.now() + patience
  while (!(await holds())) {
    if (Date.now() > end) return false
    await sleep(5)
  }
  return true
}

/** The messages that answer a transfer, up to the one that completes it or refuses. */
export type Transfer = {
  readonly rcode: number
  readonly messages: readonly Message[]
  readonly records: readonly ResourceRecord[]
  readonly lines: readonly string[]
  /** Whether every signature was good; undefined for a request without one. */
  readonly verified: boolean | undefined
}

/** Takes a transfer over TCP: the zone, or what changed since a serial. */
export async function takeTransfer(
  port: number,
  name: string,
  {
    since,
    key,
    edns,
    onMessage,
  }: {
    readonly since?: number
    readonly key?: TsigKey
    readonly edns?: object
    readonly onMessage?: (count: number) => Promise<void>
  } = {},
): Promise<Transfer> {
  const authority = since === undefined ? [] : [soaWith(name, since)]
  const bytes = query(name, since === undefined ? 'AXFR' : 'IXFR', { authority, ...(edns && { edns }) })
  const signed = key && signRequest(bytes, key, new Date())
  const verifier = signed && new StreamVerifier(key, signed.mac)
  const client = await TcpClient.open({ host: '127.0.0.1', port })
  const messages: Message[] = []
  const records: ResourceRecord[] = []
  let verified = verifier && true
  try {
    client.send(signed?.bytes ?? bytes)
    while (!isComplete(records, since)) {
      const next = await client.next(10_000)
      if (next === undefined) throw new Error(`the transfer ended after ${records.length} records`)
      if (verifier !== undefined) verified = verifier.next(next, new Date()).status === 'good' && verified
      const message = decodeMessage(next)
      messages.push(message)
      for (const record of message.answer) records.push(record)
      await onMessage?.(messages.length)
      if (message.rcode !== 0) break
    }
  } finally {
    client.socket.destroy()
  }
  const rcode = messages[0]!.rcode
  return { rcode, messages, records, verified, lines: linesOf(records) }
}

const SOA = typeCode('SOA')!

/** Whether the newest SOA has come as often as it ends a transfer: once where nothing changed, three times for changes. */
function isComplete(records: readonly ResourceRecord[], since: number | undefined): boolean {
  const first = records[0]
  if (first === undefined) return false
  const serial = serialIn(first)
  if (since !== undefined && serial <= since) return true
  const [, second] = records
  const isChanges = since !== undefined && second?.type === SOA && serialIn(second) !== serial
  const newest = records.filter((record) => record.type === SOA && serialIn(record) === serial).length
  return newest === (isChanges ? 3 : 2)
}

const serialIn = ({ rdata }: ResourceRecord): number =>
  new DataView(rdata.buffer, rdata.byteOffset).getUint32(rdata.length - 20)

function soaWith(name: string, serial: number): ResourceRecord {
  const rdata = new Uint8Array(22)
  new DataView(rdata.buffer).setUint32(2, serial)
  return { name, type: SOA, class: 1, ttl: 0, rdata }
}
