import type { Logger } from 'pino'
import { printAddress } from '../dns/address.ts'
import { RCODE } from '../dns/codes.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { isNewerSerial } from '../dns/serial.ts'
import { type Change, condense } from '../zonedata/change.ts'
import { SOA } from '../zonedata/type-codes.ts'
import { soaNumber } from '../zonedata/zone.ts'
import type { TransferZone } from './acl.ts'
import { EDE } from './edns-reply.ts'
import { reply } from './reply.ts'
import type { Client, Request, ServerState } from './server-state.ts'
import { changeMessages, type Whole, wholeMessages } from './transfer-messages.ts'

const IXFR = 251
const TC = 2

/** What is served of a zone, or why nothing is. */
export type TransferState =
  | { readonly state: 'ready'; readonly soa: ResourceRecord; readonly records: number }
  | { readonly state: 'awaited' }
  | { readonly state: 'failed'; readonly reason: string }

/** Where transfers come from. */
export type TransferSource = {
  /** The zone with exactly this name. */
  find(name: string): Promise<TransferZone | undefined>
  /** Whether a client, or the holder of a key, may have the zone. */
  mayTransfer(zone: TransferZone, client: Client, keyName: string | undefined): boolean
  look(zone: TransferZone): TransferState
  /** One state of the zone, which stays as it is until it is let go. */
  whole(zone: TransferZone): Whole
  /** The changes from a serial to another; undefined when there is no way, or none that is shorter than the zone. */
  changes(zone: TransferZone, from: number, to: number): Promise<readonly Change[] | undefined>
}

/** Answers requests for whole zones and for what changed in them (RFC 5936, RFC 1995). */
export const transferer = (source: TransferSource, log: Logger, server: () => ServerState) =>
  async function* transfer(request: Request): AsyncGenerator<Uint8Array> {
    const refused = (rcode: number, code: number, text?: string) =>
      reply(request, { rcode, error: { code, ...(text && { text }) } }, server())
    const { name, type } = request.message.question[0]!
    const zone = await source.find(name)
    if (zone === undefined) return yield refused(RCODE.NOTAUTH, EDE.NOT_AUTHORITATIVE) // [S80]
    const client = printAddress(request.client.address)
    const about = { zone: name, client, key: request.signed?.key.name, type: type === IXFR ? 'IXFR' : 'AXFR' }
    if (!source.mayTransfer(zone, request.client, request.signed?.key.name)) {
      server().counters.event('transfer_refused')
      log.info(about, 'a transfer is refused')
      return yield refused(RCODE.REFUSED, EDE.PROHIBITED) // [S81]
    }
    const held = source.look(zone)
    if (held.state === 'awaited') return yield refused(RCODE.SERVFAIL, EDE.NOT_READY)
    if (held.state === 'failed') return yield refused(RCODE.SERVFAIL, EDE.INVALID_DATA, held.reason) // [S8]
    const began = performance.now()
    let [messages, complete] = [0, false]
    try {
      for await (const message of type === IXFR ? incremental(request, zone, held) : whole(request, zone)) {
        messages++
        yield message
      }
      complete = true
    } finally {
      server().counters.event('transfer')
      const [serial, milliseconds] = [serialOf(held.soa), Math.round(performance.now() - began)]
      const outcome = { serial, messages, milliseconds }
      if (request.transport === 'udp') log.debug({ ...about, ...outcome }, 'a transfer was asked for over UDP')
      // Every change is transferred by every server: those that go well are counted.
      else if (complete) log.debug({ ...about, ...outcome }, 'a zone was transferred')
      else log.info({ ...about, ...outcome }, 'a transfer was broken off')
    }

    async function* incremental(
      request: Request,
      zone: TransferZone,
      { soa, records }: Extract<TransferState, { state: 'ready' }>,
    ): AsyncGenerator<Uint8Array> {
      const soaAlone = () => reply(request, { rcode: RCODE.NOERROR, aa: true, answer: [soa] }, server())
      const have = request.message.authority.find(({ type }) => type === SOA)
      if (have === undefined) return yield reply(request, { rcode: RCODE.FORMERR }, server())
      const serial = serialOf(soa)
      if (!isNewerSerial(serial, serialOf(have))) return yield soaAlone() // [S85]
      const changes = await source.changes(zone, serialOf(have), serial)
      const steps = changes && stepsOf(changes)
      const isShorter = steps !== undefined && steps.length < records
      if (request.transport === 'udp') {
        // RFC 1995 2: what does not fit is for TCP, which the SOA alone tells.
        const answer = steps && [soa, ...steps, soa]
        const bytes = isShorter
          ? reply(request, { rcode: RCODE.NOERROR, aa: true, answer: answer! }, server())
          : undefined
        return yield bytes === undefined || (bytes[2]! & TC) !== 0 ? soaAlone() : bytes // [S87]
      }
      // [S86] What is larger than the zone itself is better sent as the zone.
      if (isShorter) yield* changeMessages(request, [soa, ...steps, soa], server().settings)
      else yield* whole(request, zone)
    }

    function* whole(request: Request, zone: TransferZone): Generator<Uint8Array> {
      const content = source.whole(zone)
      try {
        yield* wholeMessages(request, content, server().settings)
      } finally {
        content.release()
      }
    }
  }

/** One step from the first serial to the last: its old SOA, what goes, its new SOA, what comes (RFC 1995 4). */
function stepsOf(changes: readonly Change[]): ResourceRecord[] {
  const { removed, added } = changes.length === 1 ? changes[0]! : condense(changes)
  return [...removed, ...added]
}

const serialOf = ({ rdata }: ResourceRecord): number => soaNumber(rdata, 0)
