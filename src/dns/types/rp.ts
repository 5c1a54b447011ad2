import { defineType } from '../define.ts'
import { domainName } from '../fields/names.ts'

/** Responsible person: a mailbox written as a name, and the name of TXT records about the person. */
export const RP = defineType({
  type: 'RP',
  code: 17,
  rfc: 1183,
  fields: { mailbox: domainName, text: domainName },
  examples: ['louie.example.com. .', 'a\\.b.example.com. people.example.com.'],
  rejects: ['louie.example.com.', 'louie@example.com .', '. . .'],
})
