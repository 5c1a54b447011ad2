import fc from 'fast-check'
import { wireToName } from '../../src/dns/name.ts'
import { rdataFromText } from '../../src/dns/rdata.ts'
import type { ResourceRecord } from '../../src/dns/record.ts'
import { typeName, types } from '../../src/dns/types/index.ts'
import { commonText } from '../../src/dns/zonefile/common-text.ts'
import { lexText } from '../../src/dns/zonefile/lexer.ts'

/** Where generated records lie; no example of a type points into it. */
export const ORIGIN = 'zone.invalid.'
const octets = (most: number) => fc.uint8Array({ minLength: 1, maxLength: most })
const label = fc.oneof(
  fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/).map((text) => Buffer.from(text)),
  octets(6),
  fc.constantFrom('@', '$TTL', '*', 'IN', '60', '.', '"', ';', '(', '\\').map((text) => Buffer.from(text)),
)

/** Names below the origin with labels of any octets. */
const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => {
  const wire = Buffer.concat([...labels.flatMap((part) => [Buffer.from([part.length]), part]), Buffer.from([0])])
  return wireToName(wire).slice(0, -1)
})

const examples = types
  .filter(({ meta, type }) => !meta && type !== 'SOA')
  .flatMap(({ code, examples }) => examples.map((text) => ({ type: code, rdata: rdataFromText(code, text) })))

const data = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...examples) },
  {
    weight: 2,
    arbitrary: fc.array(fc.uint8Array({ maxLength: 255 }), { minLength: 1, maxLength: 4 }).map((strings) => ({
      type: 16,
      rdata: Buffer.concat(strings.flatMap((string) => [Buffer.from([string.length]), string])),
    })),
  },
  { weight: 1, arbitrary: octets(300).map((rdata) => ({ type: 65280, rdata })) },
)

/** Records of every type with names of any octets; no two have the same owner. */
export const zoneFileRecords: fc.Arbitrary<ResourceRecord[]> = fc
  .array(fc.tuple(name, data, fc.nat(0x7fff_ffff)), { maxLength: 40 })
  .map((all) =>
    all.map(([owner, { type, rdata }, ttl], i) => ({
      name: `${owner}.r${i}.${ORIGIN}`,
      type,
      class: 1,
      ttl,
      rdata: new Uint8Array(rdata),
    })),
  )

/** A zone file that says the same as the records in one of the many ways there are, the choices taken from a list of numbers. */
export function writeNastily(records: readonly ResourceRecord[], choices: readonly number[]): string {
  let taken = 0
  const choose = <T>(...options: readonly T[]): T => options[(choices[taken++ % choices.length] ?? 0) % options.length]!
  let text = `${choose('', '\ufeff', ';;; a comment ( "\n')}$ORIGIN ${ORIGIN}\n`
  for (const record of records) {
    if (choose(false, false, false, true)) text += choose('\n', ' \t\r\n', `; "(\n`, `$TTL ${record.ttl}\n`, '   ; x\n')
    text += choose(record.name, record.name === ORIGIN ? '@' : record.name.slice(0, -ORIGIN.length - 1))
    const ttl = choose(String(record.ttl), units(record.ttl))
    const plain = commonText(record.type, record.rdata)
    const number = `TYPE${record.type}`
    const type =
      plain === undefined ? number : choose(typeName(record.type), typeName(record.type).toLowerCase(), number)
    const data = choose(plain ?? octetsText(record.rdata), octetsText(record.rdata))
    const words = [...choose([ttl, 'IN'], [ttl], ['in', ttl], ['CLASS1', ttl]), type]
    for (const word of words) text += choose(' ', '\t', ' \t ') + word
    text += withParentheses([...lexText(data).tokens], choose)
    text += choose('', ' ', '\t; comment ) "', ';x') + choose('\n', '\r\n')
  }
  return text
}

function withParentheses(words: readonly string[], choose: <T>(...options: readonly T[]) => T): string {
  let text = ''
  let open = false
  for (const word of words) {
    if (!open && choose(false, false, true)) {
      text += ' ('
      open = true
    }
    text += open ? choose(' ', '\n', ' ; "comment" )\n', '\r\n\t', '\n\n') : choose(' ', '\t', '   ')
    text += word
    if (open && choose(false, false, true)) {
      text += choose(')', ' )', '\n)')
      open = false
    }
  }
  return open ? `${text}${choose(')', '\n )', ' ; x\n)')}` : text
}

function units(ttl: number): string {
  const days = Math.floor(ttl / 86_400)
  return `${days}d${Math.floor((ttl % 86_400) / 60)}M${ttl % 60}s`
}

function octetsText(rdata: Uint8Array): string {
  const hex = Buffer.from(rdata).toString('hex')
  return `\\# ${rdata.length} ${hex.slice(0, 4)} ${hex.slice(4)}`
}
