import { defineType } from '../define.ts'
import { texts } from '../fields/strings.ts'

/** Resolver information: what a resolver says about itself, as key or key=value strings. */
export const RESINFO = defineType({
  type: 'RESINFO',
  code: 261,
  rfc: 9606,
  fields: { information: texts },
  examples: ['"qnamemin" "exterr=15-17" "infourl=https://resolver.example.com/guide"'],
  also: { qnamemin: '"qnamemin"' },
  rejects: ['"unclosed'],
})
