import { defineType } from '../define.ts'
import { domainName } from '../fields/names.ts'

/** Pointer: the name that belongs to an address, at the reverse name of that address. */
export const PTR = defineType({
  type: 'PTR',
  code: 12,
  rfc: 1035,
  fields: { target: domainName },
  examples: ['host.example.com.', '.', 'a\\.b.example.', '_x._tcp.example.org.'],
  also: { 'bücher.example.': 'xn--bcher-kva.example.', 'a\\046b.example.': 'a\\.b.example.' },
  rejects: ['', 'host.example.com', 'a b.', 'a..b.', '192.0.2.1', 'xn--a-ä.example.', '"host.example.com."', '@'],
})
