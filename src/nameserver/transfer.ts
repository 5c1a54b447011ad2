import { RCODE } from '../dns/codes.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { isNewerSerial } from '../dns/serial.ts'
import { MessagePacker } from '../dns/stream.ts'
import { tsigRoom } from '../dns/tsig.ts'
import { StreamSigner } from '../dns/tsig-stream.ts'
import { type Change, condense } from '../zonedata/change.ts'
import { SOA } from '../zonedata/type-codes.ts'
import { soaNumber } from '../zonedata/zone.ts'
import { EDE } from './edns-reply.ts'
import { reply } from './reply.ts'
import type { Client, Request, ServerState } from './server-state.ts'

const IXFR = 251

/** A zone that can be asked for whole. */
export type TransferZone = { readonly id: string; readonly pool_id: string; readonly serial: number }

/** One state of a zone, which stays as it is until it is let go. */
export type ZoneContent = {
  readonly soa: ResourceRecord
  readonly rest: Iterable<ResourceRecord>
  readonly recordCount: number
  release(): void
}

/** Where transfers come from. */
export type TransferSource = {
  /** The zone with exactly this name. */
  find(name: string): Promise<TransferZone | undefined>
  content(zone: TransferZone): ZoneContent | undefined
  /** The changes from a serial to now; undefined when the journal does not reach back that far. */
  changesSince(zone: TransferZone, serial: number): Promise<readonly Change[] | undefined>
  /** Whether a client, or the holder of a key, may have the zone. */
  mayTransfer(zone: TransferZone, client: Client, keyName: string | undefined): boolean
}

/** Answers requests for whole zones and for what changed in them (RFC 5936, RFC 1995). */
export const transferer = (source: TransferSource, server: () => ServerState) =>
  async function* transfer(request: Request): AsyncGenerator<Uint8Array> {
    const refused = (rcode: number, code: number) => reply(request, { rcode, error: { code } }, server())
    const question = request.message.question[0]!
    const zone = await source.find(question.name)
    if (zone === undefined) return yield refused(RCODE.NOTAUTH, EDE.NOT_AUTHORITATIVE)
    if (!source.mayTransfer(zone, request.client, request.signed?.key.name)) {
      server().counters.event('transfer_refused')
      return yield refused(RCODE.REFUSED, EDE.PROHIBITED)
    }
    const content = source.content(zone)
    if (content === undefined) return yield refused(RCODE.SERVFAIL, EDE.NOT_READY)
    try {
      server().counters.event('transfer')
      if (question.type !== IXFR) return yield* whole(request, content)
      const have = serialIn(request.message.authority)
      if (have === undefined) return yield reply(request, { rcode: RCODE.FORMERR }, server())
      if (!isNewerSerial(soaNumber(content.soa.rdata, 0), have)) {
        return yield reply(request, { rcode: RCODE.NOERROR, aa: true, answer: [content.soa] }, server())
      }
      yield* incremental(request, content, await source.changesSince(zone, have))
    } finally {
      content.release()
    }
  }

function serialIn(authority: readonly ResourceRecord[]): number | undefined {
  const soa = authority.find(({ type }) => type === SOA)
  return soa && soaNumber(soa.rdata, 0)
}

const whole = (request: Request, { soa, rest }: ZoneContent): Generator<Uint8Array> =>
  messages(request, around(soa, rest))

function incremental(
  request: Request,
  content: ZoneContent,
  changes: readonly Change[] | undefined,
): Generator<Uint8Array> {
  const last = changes?.at(-1)
  if (changes === undefined || last === undefined) return whole(request, content)
  const steps = changes.length > 1 ? [condense(changes)] : changes
  const records = steps.flatMap(({ removed, added }) => [...removed, ...added])
  // What is larger than the zone itself is better sent as the zone.
  if (records.length > content.recordCount) return whole(request, content)
  return messages(request, around(last.added[0]!, records))
}

/** Both kinds of transfer begin and end with the newest SOA. */
function* around(soa: ResourceRecord, records: Iterable<ResourceRecord>): Generator<ResourceRecord> {
  yield soa
  yield* records
  yield soa
}

/** The messages that carry these records; each is signed where the request was. */
function* messages(request: Request, records: Iterable<ResourceRecord>): Generator<Uint8Array> {
  const { id, opcode, question } = request.message
  const flags = { qr: true, aa: true, tc: false, rd: false, ra: false, ad: false, cd: false }
  const { signed } = request
  const signer = signed && new StreamSigner(signed.key, signed.mac)
  const packer = new MessagePacker(
    { id, opcode, rcode: RCODE.NOERROR, flags, question },
    { room: signed === undefined ? 0 : tsigRoom(signed.key) },
  )
  const finished = (message: Uint8Array) => signer?.sign(message, new Date()).bytes ?? message
  for (const record of records) {
    const full = packer.add(record)
    if (full !== undefined) yield finished(full)
  }
  yield finished(packer.finish())
}
