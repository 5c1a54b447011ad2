import { defineType } from '../define.ts'
import { domainName } from '../fields/names.ts'

/** Canonical name: the owner name is an alias of the target. */
export const CNAME = defineType({
  type: 'CNAME',
  code: 5,
  rfc: 1035,
  fields: { target: domainName },
  examples: ['host.example.com.', '.', 'a\\.b.example.', '_x._tcp.example.org.'],
  also: { 'bücher.example.': 'xn--bcher-kva.example.', 'a\\046b.example.': 'a\\.b.example.' },
  rejects: ['', 'host.example.com', 'a b.', 'a..b.', '192.0.2.1', 'xn--a-ä.example.', '"host.example.com."', '@'],
})
