import { defineType } from '../define.ts'
import { algorithm } from '../fields/algorithms.ts'
import { base64 } from '../fields/binary.ts'
import { u8, u16 } from '../fields/integers.ts'
import { domainName } from '../fields/names.ts'
import { seconds, time } from '../fields/times.ts'
import { recordType } from '../fields/types.ts'
import { labelCount } from '../name.ts'

/** Signature over the records of one name and type. */
export const RRSIG = defineType({
  type: 'RRSIG',
  code: 46,
  rfc: 4034,
  fields: {
    typeCovered: recordType,
    algorithm,
    labels: u8,
    originalTtl: seconds,
    expiration: time,
    inception: time,
    keyTag: u16,
    signer: domainName,
    signature: base64,
  },
  // RFC 4034 3.1.3: the signer is the zone that the owner name is in.
  check: ({ labels, signer }) =>
    labels < labelCount(signer)
      ? `labels must be at least the ${labelCount(signer)} of ${signer}, not ${labels}`
      : undefined,
  examples: [
    'A 5 3 86400 20030322173103 20030220173103 2642 example.com. AQIDBA==',
    'TYPE65280 13 0 0 21060207062815 19700101000000 0 . AA==',
  ],
  also: {
    'A 5 3 1 19691231235959 0 1 example.com. AQID': 'A 5 3 1 21060207062815 19700101000000 1 example.com. AQID',
    'a RSASHA1 3 1d 1048354263 20030220173103 2642 example.com. ( AQID BA== )':
      'A 5 3 86400 20030322173103 20030220173103 2642 example.com. AQIDBA==',
  },
  rejects: [
    'A 5 1 86400 20030322173103 20030220173103 2642 example.com. AQIDBA==',
    'A 5 3 86400 20030322173103 20030220173103 2642 example.com.',
    'NOPE 5 3 86400 20030322173103 20030220173103 2642 example.com. AQID',
    'A 5 3 86400 20030230000000 20030220173103 2642 example.com. AQID',
    'A 5 3 86400 20030322240000 20030220173103 2642 example.com. AQID',
    'A 5 3 86400 21060207062816 20030220173103 2642 example.com. AQID',
    'A 5 3 86400 20030322173103 20030220173103 2642 example.com AQID',
  ],
})
