import { defineType } from '../define.ts'
import { domainName } from '../fields/names.ts'

/** Name server: a host that answers for the zone whose top is the owner name. */
export const NS = defineType({
  type: 'NS',
  code: 2,
  rfc: 1035,
  fields: { server: domainName },
  examples: ['server.example.com.', '.', 'a\\.b.example.', '_x._tcp.example.org.'],
  also: { 'bücher.example.': 'xn--bcher-kva.example.', 'a\\046b.example.': 'a\\.b.example.' },
  rejects: ['', 'host.example.com', 'a b.', 'a..b.', '192.0.2.1', 'xn--a-ä.example.', '"host.example.com."', '@'],
})
