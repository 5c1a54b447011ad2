import { defineType } from '../define.ts'
import { relay } from '../fields/gateway.ts'
import { u8 } from '../fields/integers.ts'

/** AMT relay: where multicast can be had through a tunnel. */
export const AMTRELAY = defineType({
  type: 'AMTRELAY',
  code: 260,
  rfc: 8777,
  fields: { precedence: u8, relay },
  examples: ['10 0 1 203.0.113.15', '10 0 2 2001:db8::15', '128 1 3 amtrelays.example.com.', '0 0 0 .'],
  rejects: ['10 0 1', '10 2 1 203.0.113.15', '10 0 4 .', '10 0 1 2001:db8::15', '10 0 0 a.', '10 0 3 a', '256 0 0 .'],
})
