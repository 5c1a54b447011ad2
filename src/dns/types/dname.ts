import { defineType } from '../define.ts'
import { domainName } from '../fields/names.ts'

/** Delegation name: the whole tree below the owner name is an alias of the tree below the target. */
export const DNAME = defineType({
  type: 'DNAME',
  code: 39,
  rfc: 6672,
  fields: { target: domainName },
  examples: ['host.example.com.', '.', 'a\\.b.example.', '_x._tcp.example.org.'],
  also: { 'bücher.example.': 'xn--bcher-kva.example.', 'a\\046b.example.': 'a\\.b.example.' },
  rejects: ['', 'host.example.com', 'a b.', 'a..b.', '192.0.2.1', 'xn--a-ä.example.', '"host.example.com."', '@'],
})
