import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

export const origin = 'bench.example.'

/** Writes a zone file of so many records: hosts with two addresses, one of IPv6 and a text, so three sets of four records. */
export async function writeZoneFile(path: string, records: number): Promise<void> {
  const out = createWriteStream(path)
  out.write(
    `$ORIGIN ${origin}\n$TTL 3600\n@ IN SOA ns1.${origin} admin.${origin} 1 3600 600 86400 3600\n@ IN NS ns1\nns1 IN A 192.0.2.53\n`,
  )
  let lines = ''
  for (let host = 0; host * 4 < records; host++) {
    const [a, b] = [host >> 8, host & 255]
    lines += `host-${host} IN A 10.${(a >> 8) & 255}.${a & 255}.${b}\nhost-${host} IN A 172.16.${a & 255}.${b}\n`
    lines += `host-${host} IN AAAA 2001:db8::${host
      .toString(16)
      .padStart(8, '0')
      .replace(/^(.{4})/, '$1:')}\n`
    lines += `host-${host} IN TXT "rack ${a} slot ${b}"\n`
    if (lines.length < 1_000_000) continue
    if (!out.write(lines)) await once(out, 'drain')
    lines = ''
  }
  out.end(lines)
  await once(out, 'close')
}
