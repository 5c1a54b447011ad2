import { deepEqual, ok } from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyRdata } from '../../test/support/records.ts'
import { rdataFromText, rdataToText } from './rdata.ts'
import { types } from './types/index.ts'
import { parseZoneFile } from './zonefile/zonefile.ts'

type Case = { readonly type: string; readonly code: number; readonly text: string; readonly octets: string }

const hex = (octets: Uint8Array) => Buffer.from(octets).toString('hex')
const inZones = types.filter((type) => !type.meta)

// Examples, and values made with a fixed seed, so that a difference found once is found again.
const cases: readonly Case[] = inZones.flatMap(({ type, code, examples, also = {}, ...rest }) => {
  const given = [...examples, ...Object.keys(also)].map((text) => rdataFromText(code, text))
  const made = fc.sample(anyRdata({ type, code, examples, ...rest }), { numRuns: 40, seed: 1035 })
  return [...given, ...made].map((rdata) => ({ type, code, octets: hex(rdata), text: rdataToText(code, rdata) }))
})
const inOwnText = cases.filter(({ text }) => !text.startsWith('\\#'))

// Where dnspython 2.3 differs, and is wrong, or stricter without need.
const dnspythonDiffers: readonly [types: RegExp, text: RegExp, why: string][] = [
  [/^(HINFO|ISDN|X25|CAA)$/, /\\(1[3-9]|12[89]|2)/, 'octets above 127 become two of UTF-8'],
  [/^ISDN$/, /""/, 'an empty subaddress is lost'],
  [/^LOC$/, /\.(?!00)\d\dm/, 'metres go through floating point and lose a centimetre'],
  [/^(DS|CDS|DLV|TA)$/, /^\d+ \d+ 0 /, 'digest type 0 is refused'],
  [/^ZONEMD$/, /^\d+ (0 \d+|\d+ 0) /, 'scheme and algorithm 0 are refused'],
  [/^IPSECKEY$/, / 0 \S+$/, 'a key cannot be left out'],
  [
    /^NSEC3$/,
    /^\d+ \d+ \d+ \S+ (?!(?:\w{8})+(?: |$))/,
    'hashes whose length is no multiple of five octets are refused',
  ],
  [
    /^(NSEC|NSEC3|CSYNC|RRSIG|SIG|DSYNC)$/,
    /TYPE0\b|\b(CLA|IPN|NXNAME|DSYNC|WALLET|RESINFO|DOA)\b/,
    'types it does not know',
  ],
  [/^(SVCB|HTTPS)$/, /dohpath|ohttp|tls-supported-groups/, 'parameters it does not know'],
  [/^URI$/, /\\/, 'it prints quotes inside quotes'],
]

test('[T7] dnspython takes our text for the same octets and prints text that is the same to us', () => {
  const input = JSON.stringify(inOwnText)
  const output = execFileSync('/usr/bin/python3', ['-c', python], { input, maxBuffer: 1 << 26, encoding: 'utf8' })
  const answers: { known: boolean; octets?: string; text?: string; error?: string }[] = JSON.parse(output)
  const compared = new Set<string>()
  const differences: string[] = []
  for (const [i, { type, code, text, octets }] of inOwnText.entries()) {
    const { known, error, ...theirs } = answers[i]!
    if (!known) continue
    compared.add(type)
    const same = error === undefined && theirs.octets === octets && octetsOf(code, theirs.text!) === octets
    const told = dnspythonDiffers.some(([types, texts]) => types.test(type) && texts.test(text))
    if (!same && !told) differences.push(`${type} ${text}: ${error ?? theirs.octets ?? theirs.text}`)
  }
  deepEqual(differences, [])
  ok(compared.size >= 45, `only ${[...compared]}`)
})

const python = `
import json, sys, dns.rdata, dns.rdataclass
answers = []
for case in json.load(sys.stdin):
    code, octets = case['code'], bytes.fromhex(case['octets'])
    known = dns.rdata.get_rdata_class(dns.rdataclass.IN, code) is not dns.rdata.GenericRdata
    answer = {'known': known}
    if known:
        try:
            answer['octets'] = dns.rdata.from_text(dns.rdataclass.IN, code, case['text']).to_wire().hex()
            answer['text'] = dns.rdata.from_wire(dns.rdataclass.IN, code, octets, 0, len(octets)).to_text()
        except Exception as error:
            answer['error'] = type(error).__name__ + ': ' + str(error)
    answers.append(answer)
json.dump(answers, sys.stdout)
`

// Where named 9.18 is stricter.
const namedDiffers: readonly [types: RegExp, text: RegExp, why: string][] = [
  [/^IPSECKEY$/, / 0 \S+$/, 'a key cannot be left out'],
  [/^(NSEC|NSEC3|CSYNC|RRSIG|SIG|DSYNC)$/, /\b(CLA|IPN|NXNAME|DSYNC|WALLET|RESINFO)\b/, 'types it does not know'],
  [/^(SVCB|HTTPS)$/, /ohttp|tls-supported-groups/, 'parameters it does not know'],
]

test('[T7] named-checkzone takes our text for the same octets and prints text that is the same to us', () => {
  // A SOA stands only at the top of a zone.
  const asked = inOwnText.filter(({ type }) => type !== 'SOA')
  const { refused, records } = readWithNamed(asked)
  const compared = new Set<string>()
  const differences: string[] = []
  for (const [i, { type, text, octets }] of asked.entries()) {
    const why = refused.get(i)
    if (why?.includes('unknown RR type')) continue
    compared.add(type)
    const told = namedDiffers.some(([types, texts]) => types.test(type) && texts.test(text))
    if ((why ?? records.get(i)) !== octets && !told) differences.push(`${type} ${text}: ${why ?? records.get(i)}`)
  }
  deepEqual(differences, [])
  ok(compared.size >= 55, `only ${[...compared]}`)
})

// Where ldns 1.8 loses something without a word.
const ldnsDiffers: readonly [types: RegExp, text: RegExp, why: string][] = [
  [/^NSEC$/, /NXNAME/, 'a type it does not know is left out of the list'],
]

test('[T7] ldns-read-zone takes our examples for the same octets', () => {
  const compared = new Set<string>()
  const differences: string[] = []
  for (const { type, code, examples } of inZones.filter(({ type }) => type !== 'SOA')) {
    const asked = examples.filter((text) => !text.startsWith('\\#'))
    const records = readWithLdns(type, asked)
    if (records === undefined) continue
    compared.add(type)
    for (const [i, text] of asked.entries()) {
      const told = ldnsDiffers.some(([types, texts]) => types.test(type) && texts.test(text))
      const same = records.get(i) === hex(rdataFromText(code, text))
      if (!same && !told) differences.push(`${type} ${text}: ${records.get(i)}`)
    }
  }
  deepEqual(differences, [])
  ok(compared.size >= 35, `only ${[...compared]}`)
})

function octetsOf(code: number, text: string): string {
  try {
    return hex(rdataFromText(code, text))
  } catch (error) {
    return String(error)
  }
}

const head = ['$ORIGIN example.org.', '$TTL 3600', '@ SOA ns. host. 1 2 3 4 5', '@ NS ns.']
const opinions = [
  '-i',
  'none',
  ...['-k', '-m', '-M', '-n', '-r', '-S', '-T', '-W'].flatMap((check) => [check, 'ignore']),
]

/** What named makes of records: their octets as it printed them, or why it refused them, by their place in the list. */
function readWithNamed(asked: readonly Case[]): { refused: Map<number, string>; records: Map<number, string> } {
  return inFolder((folder) => {
    const [zone, dump] = [join(folder, 'zone'), join(folder, 'dump')]
    const check = (skip: ReadonlyMap<number, string>) => {
      const lines = asked.map(({ type, text }, i) => (skip.has(i) ? ';' : `r${i} ${type} ${text}`))
      writeFileSync(zone, [...head, ...lines, ''].join('\n'))
      const args = [...opinions, '-D', '-o', dump, 'example.org', zone]
      return spawnSync('named-checkzone', args, { encoding: 'utf8', maxBuffer: 1 << 28, timeout: 60_000 })
    }
    const refused = new Map<number, string>()
    // It loses its place after some faults, so that not all are told at once.
    for (let tries = 0; tries < 20; tries++) {
      const { status, stderr, stdout, error } = check(refused)
      if (error) throw error
      if (status === 0) return { refused, records: recordsOf(readFileSync(dump)) }
      for (const [, line, why] of `${stderr}\n${stdout}`.matchAll(/zone:(\d+): (.*)/g)) {
        if (!/expired|old style/.test(why!)) refused.set(Number(line) - head.length - 1, why!)
      }
    }
    throw new Error(`named-checkzone refuses ever more: ${[...refused]}`)
  })
}

/** What ldns makes of records of one type, or undefined when it refuses any of them. */
function readWithLdns(type: string, texts: readonly string[]): Map<number, string> | undefined {
  return inFolder((folder) => {
    const zone = join(folder, 'zone')
    const lines = texts.map((text, i) => `r${i} ${type} ${text}`)
    writeFileSync(zone, [...head, ...lines, ''].join('\n'))
    const { status, stdout, error } = spawnSync('ldns-read-zone', [zone], { timeout: 60_000 })
    if (error) throw error
    return status === 0 ? recordsOf(stdout) : undefined
  })
}

function recordsOf(dump: Uint8Array): Map<number, string> {
  const { records, faults } = parseZoneFile(dump)
  deepEqual(faults, [])
  const ours = records.filter(({ name }) => /^r\d+\.example\.org\.$/.test(name))
  return new Map(ours.map(({ name, rdata }) => [Number.parseInt(name.slice(1), 10), hex(rdata)]))
}

function inFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'record-types-'))
  try {
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
