import { spawnSync } from 'node:child_process'
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printZoneFile } from '../../src/dns/zonefile/print.ts'
import { parseZoneFile, readZoneFile } from '../../src/dns/zonefile/zonefile.ts'
import type { BenchOptions, BenchRow } from '../support/report.ts'

const ORIGIN = 'example.org.'
const ONLY_READ = [
  '-q',
  '-i',
  'none',
  ...['-k', '-m', '-M', '-n', '-r', '-S', '-T', '-W'].flatMap((c) => [c, 'ignore']),
]

/** A zone file read from beginning to end, beside the tools of BIND and ldns on the same file; each is a process of its own. */
export async function zoneFileRows({ quick }: BenchOptions): Promise<BenchRow[]> {
  const count = quick ? 100_000 : 1_000_000
  const folder = mkdtempSync(join(tmpdir(), 'bench-zonefile-'))
  try {
    const file = join(folder, 'large.zone')
    const small = join(folder, 'small.zone')
    writeZone(file, count)
    writeZone(small, count / 10)
    const ours = run([process.execPath, import.meta.filename, file])
    const [records, faults, megabytes] = ours.output.split(' ').map(Number)
    if (records !== count || faults !== 0)
      throw new Error(`${records} records and ${faults} faults, not ${count} and 0`)
    const peers = [
      { name: 'named-checkzone', value: run(['named-checkzone', ...ONLY_READ, ORIGIN, file]).seconds },
      { name: 'ldns-read-zone', value: run(['ldns-read-zone', file]).seconds },
    ]
    const tenth = run([process.execPath, import.meta.filename, small])
      .output.split(' ')
      .map(Number)
    const name = `zone file of ${count.toLocaleString('en')} records`
    return [
      ...peers.map((against) => ({
        case: `${name} read`,
        unit: 's of processor',
        ours: ours.seconds,
        against,
        better: 'less' as const,
      })),
      {
        case: `${name}, peak memory`,
        unit: 'MB',
        ours: megabytes!,
        against: { name: 'a tenth of the file', value: tenth[2]! },
        better: 'less',
      },
      printRow(),
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs a program to its end: the last 200 characters it wrote, and the processor time it took in all its threads. */
function run(command: readonly string[]): { readonly output: string; readonly seconds: number } {
  const script = 'set -o pipefail; "$@" | tail -c 200; status=$?; times >&2; exit $status'
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...command], {
    encoding: 'utf8',
    timeout: 600_000,
  })
  if (status !== 0) throw new Error(`${command[0]} ended with ${status}: ${stderr}`)
  const times = [
    ...stderr
      .trim()
      .split('\n')
      .at(-1)!
      .matchAll(/(\d+)m([\d.]+)s/g),
  ]
  return {
    output: stdout,
    seconds: times.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0),
  }
}

function printRow(): BenchRow {
  const lines = Array.from({ length: 50_000 }, (_, i) => zoneLine(i))
  const { records } = parseZoneFile(lines, { origin: ORIGIN, ttl: 3600 })
  printZoneFile(records)
  const before = process.cpuUsage()
  for (let round = 0; round < 5; round++) printZoneFile(records)
  const { user, system } = process.cpuUsage(before)
  const perSecond = (5 * records.length * 1_000_000) / (user + system)
  return { case: 'zone file printed', unit: 'records/s of processor', ours: perSecond, better: 'more' }
}

function writeZone(file: string, count: number): void {
  const out = openSync(file, 'w')
  let text = `$ORIGIN ${ORIGIN}\n$TTL 3600\n@ IN SOA ns1 hostmaster 1 7200 3600 1209600 3600\n@ IN NS ns1\nns1 IN A 192.0.2.1\n`
  for (let i = 0; i < count - 3; i++) {
    text += zoneLine(i)
    if (text.length < 1_000_000) continue
    writeSync(out, text)
    text = ''
  }
  writeSync(out, text)
  closeSync(out)
}

/** Line i of a zone as they are: hosts with addresses, blank owners, mail, text with comments, aliases, services. */
function zoneLine(i: number): string {
  const host = `host-${Math.floor(i / 6)}`
  switch (i % 6) {
    case 0:
      return `${host}\tIN\tA\t10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}\n`
    case 1:
      return `\t\tIN\tAAAA\t2001:db8::${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}\n`
    case 2:
      return `\t300\tIN\tMX\t10 mail-${i % 100}\n`
    case 3:
      return `\t\tIN\tTXT\t"v=spf1 ip4:10.0.0.0/8 include:_spf.example.com ~all" ; line ${i}\n`
    case 4:
      return `alias-${i}\t600\tIN\tCNAME\t${host}\n`
    default:
      return `_sip._tcp.${host}.${ORIGIN} 3600 IN SRV 10 60 5060 ${host}.${ORIGIN}\n`
  }
}

// Run by itself with a file, it reads that file as a stream and tells records, faults and the most memory it had.
if (import.meta.main) {
  let records = 0
  let faults = 0
  for await (const batch of readZoneFile(createReadStream(process.argv[2]!))) {
    records += batch.records.length
    faults = batch.faultCount
  }
  console.log(records, faults, process.resourceUsage().maxRSS / 1024)
}
