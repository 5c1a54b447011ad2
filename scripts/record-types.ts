import { readFileSync, writeFileSync } from 'node:fs'
import { describeType, type TypeDescription } from '../src/dns/describe.ts'
import { types } from '../src/dns/types/index.ts'

const file = new URL('../docs/record-types.md', import.meta.url)

/** The document of all record types, made from their definitions. */
export function recordTypesDocument(): string {
  const described = types.map(describeType)
  return `${[head, table(described), ...described.map(section)].join('\n\n')}\n`
}

const head = `# Record types

Made by \`node scripts/record-types.ts\` from \`src/dns/types\`; do not edit.

Every other type is written by number, as in \`TYPE65280 \\# 4 0A000001\` (RFC 3597); the form \`\\# length hex\` is taken for the types below too.
The rules for text that hold for all types are in [spec/records.md](spec/records.md).`

function table(described: readonly TypeDescription[]): string {
  const rows = described.map(
    ({ type, code, rfc, meta }) =>
      `| [${type}](#${type.toLowerCase()}) | ${code} | ${source(rfc)} | ${meta ? 'in messages only' : ''} |`,
  )
  return ['| type | number | from | |', '|---|--:|---|---|', ...rows].join('\n')
}

function section({ type, fields, examples }: TypeDescription): string {
  const lines = fields.map(({ label, form }) => `- *${label}*: ${form}`)
  const shown = examples.map((text) => `${type} ${text}`)
  const parts = [`## ${type}`, purpose(type)]
  if (lines.length > 0) parts.push(lines.join('\n'))
  if (shown.length > 0) parts.push(['```', ...shown, '```'].join('\n'))
  return parts.join('\n\n')
}

/** The comment above the definition, which says what the type is for. */
function purpose(type: string): string {
  const code = readFileSync(new URL(`../src/dns/types/${type.toLowerCase()}.ts`, import.meta.url), 'utf8')
  const comment = /\/\*\* (.*?) \*\/\nexport const/s.exec(code)?.[1]
  if (comment === undefined) throw new Error(`${type} does not say what it is for`)
  return comment
}

function source(rfc: number | string): string {
  return typeof rfc === 'number' ? `[RFC ${rfc}](https://www.rfc-editor.org/rfc/rfc${rfc})` : rfc
}

if (import.meta.main) writeFileSync(file, recordTypesDocument())
