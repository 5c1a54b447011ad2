/** A zone for every server to serve, and questions about it. */
export type BenchZone = { readonly origin: string; readonly records: number; readonly lines: () => Generator<string> }

const head = (origin: string, serial: number) => [
  `$ORIGIN ${origin}`,
  '$TTL 3600',
  `@ SOA ns1.${origin} hostmaster.${origin} ${serial} 3600 600 86400 300`,
  `@ NS ns1.${origin}`,
]

/** Ten thousand names with a mix of types, about 12,000 records. */
export const mixedZone: BenchZone = {
  origin: 'bench.test.',
  records: 12_003,
  *lines() {
    yield* head('bench.test.', 1)
    yield 'ns1 A 127.0.0.1'
    for (let i = 0; i < 10_000; i++) yield* linesOf(i)
  },
}

/** A zone of one address a name, for transfers. */
export const flatZone = (records: number, serial = 1): BenchZone => ({
  origin: 'large.test.',
  records,
  *lines() {
    yield* head('large.test.', serial)
    yield 'ns1 A 127.0.0.1'
    for (let i = 3; i < records; i++) yield `h${i} A ${ipv4(i)}`
  },
})

/** The zone as a file has it. */
export const textOf = (zone: BenchZone): string => `${[...zone.lines()].join('\n')}\n`

const kinds = ['A', 'A', 'A', 'A', 'A', 'AAAA', 'AAAA', 'TXT', 'CNAME', 'MX'] as const
const ipv4 = (i: number) => `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`

function linesOf(i: number): string[] {
  const kind = kinds[i % kinds.length]!
  const more =
    i % 5 === 0
      ? [kind === 'A' ? `h${i} A 172.16.${(i >> 8) & 255}.${i & 255}` : `h${i} AAAA 2001:db8:1::${i.toString(16)}`]
      : []
  return [`h${i} ${kind} ${data[kind](i)}`, ...more]
}

const data = {
  A: ipv4,
  AAAA: (i: number) => `2001:db8::${i.toString(16)}`,
  TXT: (i: number) => `"text of name ${i}"`,
  CNAME: (i: number) => `h${i - 8}`,
  MX: (i: number) => `10 h${i - 9}`,
}

/** Questions about the mixed zone, one in twenty about a name that is not there; the same at every run. */
export function questions(count: number): [name: string, type: string][] {
  let seed = 1
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return (seed >>> 8) % below
  }
  return Array.from({ length: count }, (_, n) => {
    const i = random(10_000)
    const kind = kinds[i % kinds.length]!
    if (n % 20 === 19) return [`none${i}.bench.test.`, 'A']
    return [`h${i}.bench.test.`, kind === 'CNAME' ? 'A' : kind]
  })
}
