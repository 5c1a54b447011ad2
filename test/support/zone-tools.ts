import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nameKey, parseName } from '../../src/dns/name.ts'
import { canonicalRdata } from '../../src/dns/rdata.ts'
import type { ResourceRecord } from '../../src/dns/record.ts'
import { typeCode } from '../../src/dns/types/index.ts'
import { parseZoneFile } from '../../src/dns/zonefile/zonefile.ts'

/** The programs of others that read zone files. */
export const tools = ['named-checkzone', 'kzonecheck', 'nsd-checkzone', 'ldns-read-zone', 'dnspython'] as const
export type Tool = (typeof tools)[number]

/** What a tool made of a zone file: why it refused it, or the records it read; kzonecheck does not tell these. */
export type Reading = { readonly refused?: string; readonly records?: readonly string[] }

// Zone-level opinions are not asked for, only what the text says.
const OPINIONS = [
  '-i',
  'none',
  ...['-k', '-m', '-M', '-n', '-r', '-S', '-T', '-W'].flatMap((check) => [check, 'ignore']),
]

const DNSPYTHON = `
import sys, dns.zone, dns.rdatatype
zone = dns.zone.from_text(open(sys.argv[2], encoding='utf-8').read(), sys.argv[1], relativize=False, check_origin=False)
for name, ttl, rdata in zone.iterate_rdatas():
    print(name.to_text(), ttl, rdata.rdtype.value if hasattr(rdata.rdtype, 'value') else int(rdata.rdtype), rdata.to_wire().hex())
`

/** Reads a zone file with a program of others. */
export function readWith(tool: Tool, text: string | Uint8Array, origin = 'example.org.'): Reading {
  const folder = mkdtempSync(join(tmpdir(), 'zonefile-'))
  const file = join(folder, 'zone')
  try {
    writeFileSync(file, text)
    const [program, ...args] = command(tool, origin, file)
    const { status, stdout, stderr, error } = spawnSync(program!, args, { timeout: 60_000, maxBuffer: 1 << 28 })
    if (error) throw error
    if (status !== 0) return { refused: `${stderr}${stdout}`.slice(0, 2000) }
    if (tool === 'kzonecheck') return {}
    return { records: tool === 'dnspython' ? fromDnspython(stdout.toString()) : fromDump(stdout) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Records in a form in which two readings of one file are equal: sorted, without repetition, names lower-cased. */
export function comparable(records: Iterable<ResourceRecord>): string[] {
  const lines = new Set<string>()
  for (const { name, ttl, type, rdata } of records) {
    lines.add(`${nameKey(name)} ${ttl} ${type} ${Buffer.from(canonicalRdata(type, rdata)).toString('hex')}`)
  }
  return [...lines].sort()
}

function command(tool: Tool, origin: string, file: string): string[] {
  switch (tool) {
    case 'named-checkzone':
      return ['named-checkzone', '-q', ...OPINIONS, '-D', '-o', '-', origin, file]
    case 'kzonecheck':
      return ['kzonecheck', '-d', 'off', '-o', origin, file]
    case 'nsd-checkzone':
      return ['nsd-checkzone', '-p', origin, file]
    case 'ldns-read-zone':
      return ['ldns-read-zone', file]
    case 'dnspython':
      return ['/usr/bin/python3', '-c', DNSPYTHON, origin, file]
  }
}

function fromDump(dump: Uint8Array): string[] {
  const { records, faults } = parseZoneFile(dump)
  if (faults.length > 0) throw new Error(`a dump is not read: ${JSON.stringify(faults[0])}`)
  return comparable(records)
}

function fromDnspython(output: string): string[] {
  return comparable(
    output
      .trim()
      .split('\n')
      .map((line) => {
        const [name, ttl, type, hex = ''] = line.split(' ')
        return {
          name: parseName(name!),
          ttl: Number(ttl),
          type: typeCode(`TYPE${type}`)!,
          class: 1,
          rdata: Buffer.from(hex, 'hex'),
        }
      }),
  )
}
