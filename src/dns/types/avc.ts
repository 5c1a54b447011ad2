import { defineType } from '../define.ts'
import { texts } from '../fields/strings.ts'

/** Application visibility and control: strings as in TXT. */
export const AVC = defineType({
  type: 'AVC',
  code: 258,
  rfc: 'AVC/avc-completed-template',
  fields: { text: texts },
  examples: ['"app-name:WOLFGANG|app-class:OAM|business=yes"'],
  rejects: ['"unclosed'],
})
