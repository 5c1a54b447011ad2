import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { askUdp, hasFfi } from '../../test/support/dns-transports.ts'
import { from, query, serverOf, testKey, testZones } from '../../test/support/nameserver.ts'
import { recordsFrom } from '../../test/support/zones.ts'
import { RCODE } from '../dns/codes.ts'
import { decodeMessage } from '../dns/message.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { signRequest } from '../dns/tsig.ts'
import { records } from '../zonedata/zone.ts'
import { ArenaReader } from './arena/reader.ts'
import { servedFrom } from './arena/served.ts'
import { ArenaWriter } from './arena/writer.ts'
import { sumCounters } from './counters.ts'
import { handle } from './handle.ts'
import { reply } from './reply.ts'
import type { ServerState } from './server-state.ts'
import { listenUdp, type UdpMode } from './udp.ts'
import { startUdpThreads, type UdpThreads } from './udp-ffi.ts'

type Started = { writer: ArenaWriter; udp: UdpThreads; server: ServerState; wanted: string[] }

/** A keeper's part of UDP: an arena with the test zones, threads over it, and what they forward answered here. */
async function served(
  { mode = 'ffi', count = 2 }: { mode?: UdpMode; count?: number },
  run: (started: Started) => Promise<void>,
): Promise<void> {
  let udp: UdpThreads | undefined
  const writer = new ArenaWriter((handles) => udp?.updateArena(handles))
  for (const zone of testZones) writer.putZone({ id: zone.origin, name: zone.origin, serial: 1 }, records(zone))
  writer.awaitZone({ id: 'awaited-id', name: 'awaited.', serial: 1 })
  writer.failZone({ id: 'failed-id', name: 'failed.', serial: 1 }, 'the SOA is missing')
  const wanted: string[] = []
  const ended: Error[] = []
  const server: ServerState = serverOf({
    zones: servedFrom(new ArenaReader(writer.handles)),
    wanted: (id) => wanted.push(id),
    notify: ({ client }) => (client.address[0] === 127 ? RCODE.NOERROR : RCODE.REFUSED),
    transfer: (request) =>
      (async function* () {
        await sleep(5)
        yield reply(request, { rcode: RCODE.NOERROR, aa: true }, server)
      })(),
  })
  const listen = [{ host: '127.0.0.1', port: 0 }]
  const onEnd = (error: Error) => ended.push(error)
  const log = pino({ level: 'silent' })
  udp = await listenUdp(mode, { listen, count, arena: () => writer.handles, keys: [testKey], server, onEnd }, log)
  try {
    await run({ writer, udp, server, wanted })
  } finally {
    await udp.close()
  }
  deepEqual(ended, [])
}

const ask = async ({ udp }: Started, bytes: Uint8Array) => {
  const bytesOfReply = await askUdp(udp.addresses[0]!, bytes)
  if (bytesOfReply === undefined) throw new Error('no reply came')
  return decodeMessage(bytesOfReply)
}

const modes: readonly UdpMode[] = hasFfi ? ['ffi', 'dgram', 'auto'] : ['dgram', 'auto']
for (const mode of modes) {
  describe(`dns_udp ${mode}`, () => {
    test('[S60] gives the reply of the handler, whatever is asked', () =>
      served({ mode }, async (started) => {
        for (const name of ['www', 'alias', 'across', 'away', 'nope', 'a.wild', 'x.sub', 'large', 'www.cut', 'text'])
          for (const edns of [undefined, { udpSize: 1232 }, { udpSize: 1232, dnssecOk: true }])
            for (const type of ['A', 'TXT', 'SOA', 'ANY', 'DS']) {
              const bytes = query(`${name}.example.`, type, edns && { edns })
              const due = handle(bytes, from(), serverOf()) as Uint8Array
              deepEqual(await askUdp(started.udp.addresses[0]!, bytes), new Uint8Array(due), `${name} ${type}`)
            }
      }))

    test('[S65] NOTIFY and transfers that come over UDP are answered by the keeper', () =>
      served({ mode }, async (started) => {
        const notified = await ask(started, query('example.', 'SOA', { opcode: 4 }))
        deepEqual([notified.opcode, notified.rcode, notified.flags.aa], [4, 0, true])
        equal((await ask(started, query('example.', 'IXFR'))).rcode, 0)
        const many = Array.from({ length: 30 }, () => ask(started, query('example.', 'SOA', { opcode: 4 })))
        equal((await Promise.all(many)).length, 30)
      }))

    test('[S9] a zone still to be read is reported as wanted, and one that failed says why', () =>
      served({ mode }, async (started) => {
        for (let i = 0; i < 3; i++) equal((await ask(started, query('www.awaited.', 'A'))).rcode, RCODE.SERVFAIL)
        equal((await ask(started, query('www.failed.', 'A', { edns: {} }))).edns?.options[0]?.option, 'extended-error')
        for (let i = 0; i < 1000 && started.wanted.length === 0; i++) await sleep(10)
        equal(started.wanted[0], 'awaited-id')
      }))
  })
}

describe('threads', { skip: hasFfi ? false : 'no FFI here' }, () => {
  test('[S66] what is written is answered at once, however much memory it needed', () =>
    served({}, async (started) => {
      const { writer } = started
      for (let i = 0; i < 40; i++) {
        writer.putZone({ id: `big${i}`, name: `big${i}.`, serial: i }, bigZone(`big${i}.`))
        equal((await ask(started, query(`n9.big${i}.`, 'TXT'))).answer.length, 1, `zone ${i}`)
      }
    }))

  test('one thread has its port alone', () =>
    served({ count: 1 }, async ({ udp, server }) => {
      const { handles } = new ArenaWriter()
      const options = { listen: udp.addresses, count: 1, arena: () => handles, keys: [], server, onEnd: () => {} }
      await rejects(startUdpThreads(options), { code: 'EADDRINUSE' })
    }))

  test('[S31] keys that come later are known to all threads', () =>
    served({}, async (started) => {
      const key = { ...testKey, name: 'later.' }
      const signed = () => signRequest(query('www.example.', 'A'), key, new Date()).bytes
      equal((await ask(started, signed())).rcode, RCODE.NOTAUTH)
      started.udp.updateKeys([testKey, key])
      for (let i = 0; i < 20; i++) equal((await ask(started, signed())).rcode, 0)
    }))

  test('replies of threads are counted in memory that others read', () =>
    served({}, async (started) => {
      for (let i = 0; i < 40; i++) await ask(started, query('www.example.', 'A'))
      await ask(started, query('nope.example.', 'MX'))
      const { udp } = sumCounters(started.udp.counters.map((memory) => new Float64Array(memory)))
      deepEqual([udp.types.get(1), udp.types.get(15), udp.rcodes.get(0), udp.rcodes.get(3)], [40, 1, 40, 1])
    }))

  test('[S62] threads stop at once', () =>
    served({}, async ({ udp }) => {
      const before = performance.now()
      await udp.close()
      const took = performance.now() - before
      ok(took < 2000, `${took} ms`)
    }))
})

function* bigZone(origin: string): Generator<ResourceRecord> {
  yield* recordsFrom(origin, `@ SOA ns1.example. host.example. 1 2 3 4 5\n@ NS ns1.example.`)
  for (let i = 0; i < 300; i++) yield* recordsFrom(origin, `n${i} TXT "${'y'.repeat(250)}"`)
}
