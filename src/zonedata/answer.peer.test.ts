import { deepEqual, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { askAll } from '../../test/support/dns-client.ts'
import { generateQuestions, generateZones } from '../../test/support/generated-zones.ts'
import { type NameServer, startNamed, startNsd } from '../../test/support/nameservers.ts'
import { linesOf, recordsFrom } from '../../test/support/zones.ts'
import { RCODE, rcodeName } from '../dns/codes.ts'
import type { Message } from '../dns/message.ts'
import { isAtOrBelow, labelCount, sameName } from '../dns/name.ts'
import type { RRset } from '../dns/record.ts'
import { typeCode, typeName } from '../dns/types/index.ts'
import { type Answer, answer, MOST_LINKS, type ZoneFor } from './answer.ts'
import { find } from './find.ts'
import { A, AAAA, ANY, CNAME, DNAME, DS, NS } from './type-codes.ts'
import { nodeAt, records, recordsOf, rrsets, type Zone, zoneFromRecords } from './zone.ts'

const SEED = Number(process.env.PEER_SEED ?? 20261115)
const ZONES = Number(process.env.PEER_ZONES ?? 120)

type Case = { readonly zone: Zone; readonly name: string; readonly type: number; readonly ours: Answer }

const generated = generateZones(SEED, ZONES).map(({ origin, lines }) =>
  zoneFromRecords(origin, recordsFrom(origin, lines.join('\n'))),
)
const cases: Case[] = generated.flatMap((zone) =>
  generateQuestions(zone, SEED).map(({ name, type }) => ({ zone, name, type, ours: answer(zone, { name, type }) })),
)

// Zones that hold each other's names: an alias from one to another, and a parent beside its child.
const start = '@ 300 SOA ns.elsewhere. host.elsewhere. 1 2 3 4 60\n@ 300 NS ns.elsewhere.'
const linked = [
  [
    'one.test.',
    'www CNAME www.two.test.\nno CNAME no.two.test.\nsub NS ns.elsewhere.\nin CNAME www.sub\nd DNAME two.test.',
  ],
  ['two.test.', 'www A 192.0.2.1\nback CNAME in.one.test.\nd2 DNAME d.one.test.'],
  ['sub.one.test.', 'www AAAA 2001:db8::1\nup CNAME www.one.test.'],
].map(([origin, lines]) => zoneFromRecords(origin!, recordsFrom(origin!, `${start}\n${lines}`)))

const zoneFor: ZoneFor = (name, type) =>
  linked
    .filter(({ origin }) => isAtOrBelow(name, origin) && !(type === DS && sameName(name, origin)))
    .sort((a, b) => labelCount(b.origin) - labelCount(a.origin))[0]

/** A way in which a server is known to differ from us; docs/divergences.md tells why. Anything else fails. */
type Divergence = { readonly what: string; readonly covers: (given: Case, theirs: Message) => boolean }

const bind: Divergence[] = [
  {
    what: 'a chain that does not end, or has more than 11 links, is SERVFAIL',
    covers: ({ ours }, theirs) => theirs.rcode === RCODE.SERVFAIL && (isEndless(ours) || links(ours) > 11),
  },
  {
    what: 'ANY leaves out DS',
    covers: ({ type, ours }, theirs) => type === ANY && ours.answer[0]?.type === DS && theirs.answer.length === 0,
  },
  { what: 'ANY is answered with every RRset', covers: isAnotherAny },
]

const nsd: Divergence[] = [
  {
    what: 'a chain that reaches our bound is cut elsewhere',
    covers: ({ ours }, theirs) => links(ours) >= MOST_LINKS - 1 && (has(ours, theirs.answer) || isIn(theirs, ours)),
  },
  { what: 'ANY is answered with another RRset', covers: isAnotherAny },
  {
    what: 'ANY below a DNAME is followed',
    covers: ({ type, ours }, theirs) => type === ANY && ours.answer[0]?.type === DNAME && isIn(theirs, ours),
  },
]

const servers = [
  {
    start: () => startNamed(zoneTexts([...generated, ...linked]), 'zero-no-soa-ttl no;'),
    name: 'named',
    divergences: bind,
  },
  { start: () => startNsd(zoneTexts(generated), 'minimal-responses: yes'), name: 'nsd', divergences: nsd },
]

for (const { name, start, divergences } of servers) {
  describe(`answers beside ${name}`, () => {
    let server: NameServer
    let replies: Message[]
    before(async () => {
      server = await start()
      replies = await askAll(
        server.port,
        cases.map((given) => ({ name: given.name, type: given.type, class: 1 })),
      )
    })
    after(() => server?.stop())

    test('[Z3] rcode, aa, answer and authority are the same for generated zones and questions, but for what is listed', () => {
      const unlisted: string[] = []
      const met = new Set<Divergence>()
      for (const [i, given] of cases.entries()) {
        const found = difference(given.ours, replies[i]!)
        if (found === undefined) continue
        const known = divergences.find(({ covers }) => covers(given, replies[i]!))
        if (known) met.add(known)
        else unlisted.push(`${given.name} ${typeName(given.type)} ${found}`)
      }
      deepEqual(unlisted.slice(0, 5), [], `${unlisted.length} of ${cases.length} differ`)
      deepEqual(
        divergences.filter((divergence) => !met.has(divergence)).map(({ what }) => what),
        [],
        'listed but not met',
      )
    })

    test('[Z12] [Z13] we give all the additional data it gives', () => {
      for (const [i, { zone, ours, type, name: asked }] of cases.entries()) {
        if (type === ANY) continue
        const given = canonical(ours.additional.flatMap(recordsOf))
        const theirs = replies[i]!.additional.filter(
          (record) => name === 'named' || !isFromHiddenWildcard(zone, record.name),
        )
        const missing = canonical(theirs).filter((line) => !given.includes(line))
        deepEqual(missing, [], `${asked} ${typeName(type)}`)
      }
    })

    if (name !== 'named') return
    test('[Z27] DS at the edge of two zones is the same, and chains too, but that they go on where BIND does not look', async () => {
      const types = ['A', 'AAAA', 'DS', 'NS', 'CNAME', 'SOA'].map((text) => typeCode(text)!)
      const labels = ['www', 'no', 'in', 'back', 'up', 'www.d', 'no.d', 'www.d2', 'sub', 'www.sub', 'up.sub', 'no.sub']
      const names = linked.flatMap(({ origin }) => [origin, ...labels.map((label) => `${label}.${origin}`)])
      const questions = names.flatMap((name) => types.map((type) => ({ name, type, class: 1 })))
      const theirs = await askAll(server.port, questions)
      let crossings = 0
      for (const [i, { name, type }] of questions.entries()) {
        // DS at the apex of a zone whose parent is not here is asked of the zone itself.
        const zone = (zoneFor(name, type) ?? zoneFor(name, NS))!
        const ours = answer(zone, { name, type }, zoneFor)
        if (difference(ours, theirs[i]!) === undefined) continue
        crossings++
        ok(
          [...ours.answer, ...ours.authority].some((rrset) => zoneFor(rrset.name, rrset.type) !== zone),
          name,
        )
        deepEqual(
          canonical(theirs[i]!.answer),
          canonical(ours.answer.flatMap(recordsOf).slice(0, theirs[i]!.answer.length)),
          name,
        )
      }
      ok(crossings > 5)
    })
  })
}

test('[Z12] the glue we call required is all that the zone has of servers at or below the cut', () => {
  let seen = 0
  for (const { zone, ours } of cases) {
    const cut = ours.authority.find(({ type }) => type === NS)
    const required = canonical(ours.additional.slice(0, ours.requiredGlue).flatMap(recordsOf))
    const servers = cut ? linesOf(recordsOf(cut)).map((line) => line.split(' ')[3]!) : []
    const inside = servers.filter((server) => isAtOrBelow(server, cut!.name))
    const glue = inside.flatMap(
      (server) => nodeAt(zone, server)?.rrsets.filter(({ type }) => type === A || type === AAAA) ?? [],
    )
    deepEqual(required, canonical(glue.flatMap(recordsOf)))
    seen += required.length
  }
  ok(seen > 100)
})

/** What a server says that we do not, or the reverse; undefined where both say the same. */
function difference(ours: Answer, theirs: Message): string | undefined {
  const a = [
    rcodeName(ours.rcode),
    ours.aa,
    canonical(ours.answer.flatMap(recordsOf)),
    canonical(ours.authority.flatMap(recordsOf)),
  ]
  const b = [rcodeName(theirs.rcode), theirs.flags.aa, canonical(theirs.answer), canonical(theirs.authority)]
  return JSON.stringify(a) === JSON.stringify(b)
    ? undefined
    : `\n  ours   ${JSON.stringify(a)}\n  theirs ${JSON.stringify(b)}`
}

function canonical(list: Parameters<typeof linesOf>[0]): string[] {
  return [...new Set(linesOf(list).map((line) => line.toLowerCase()))].sort()
}

/** Whether a chain came back to where it was, or reached the bound. */
function isEndless({ rcode, answer, authority, continuesAt }: Answer): boolean {
  return rcode === RCODE.NOERROR && answer.at(-1)?.type === CNAME && authority.length === 0 && continuesAt === undefined
}

function links({ answer }: Answer): number {
  return answer.filter(({ type }) => type === CNAME).length
}

/** Whether both give records of the name for ANY, and nothing else is different. */
function isAnotherAny({ type, name, zone, ours }: Case, theirs: Message): boolean {
  if (type !== ANY || ours.rcode !== theirs.rcode || ours.aa !== theirs.flags.aa || ours.answer.length !== 1)
    return false
  const all = canonical(source(zone, ours.answer[0]!).flatMap((rrset) => recordsOf({ ...rrset, name })))
  return theirs.answer.length > 0 && canonical(theirs.answer).every((line) => all.includes(line))
}

/** All RRsets of the name, or of the wildcard that stands for it, from which one was taken. */
function source(zone: Zone, taken: RRset): readonly RRset[] {
  const found = [...rrsets(zone)].find(({ rdatas }) => rdatas === taken.rdatas)
  return nodeAt(zone, found!.name)!.rrsets
}

function has(ours: Answer, list: Message['answer']): boolean {
  const all = canonical(ours.answer.flatMap(recordsOf))
  return canonical(list).every((line) => all.includes(line))
}

function isIn(theirs: Message, ours: Answer): boolean {
  const all = canonical(theirs.answer)
  return canonical(ours.answer.flatMap(recordsOf)).every((line) => all.includes(line))
}

/** NSD makes glue from a wildcard below a cut, where only the child zone can say what exists. */
function isFromHiddenWildcard(zone: Zone, name: string): boolean {
  return nodeAt(zone, name) === undefined && find(zone, name, A).kind === 'cut'
}

function zoneTexts(zones: readonly Zone[]): { origin: string; text: string }[] {
  return zones.map((zone) => ({ origin: zone.origin, text: `${linesOf(records(zone)).join('\n')}\n` }))
}
