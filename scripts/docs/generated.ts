import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingsTable } from '../../src/config/print.ts'
import { deployedConfigs } from './deployment.ts'
import { recipesText } from './recipes.ts'

/** A document with a part that is written from the program's own tables. */
export type GeneratedDoc = { readonly file: string; readonly update: (text: string) => string }

const unit = readFileSync(join(import.meta.dirname, '..', '..', 'deploy', 'nameplane.service'), 'utf8')

/** Every such document; a test holds each of them to what `npm run docs` would write. */
export const generatedDocs: readonly GeneratedDoc[] = [
  {
    file: 'docs/operating.md',
    update: (text) =>
      Object.entries({ settings: settingsTable(), recipes: recipesText(), unit: `\`\`\`ini\n${unit}\`\`\`` }).reduce(
        (written, [name, content]) => between(written, name, content),
        text,
      ),
  },
  ...Object.entries(deployedConfigs).map(([file, config]) => ({ file, update: () => config })),
]

/** Replaces what stands between `<!-- NAME: … -->` and `<!-- end of NAME -->`. */
function between(text: string, name: string, content: string): string {
  const marks = new RegExp(`(<!-- ${name}:[^>]*-->\n)[\\s\\S]*?(<!-- end of ${name} -->)`)
  if (!marks.test(text)) throw new Error(`no part called ${name}`)
  return text.replace(marks, (_, begin: string, end: string) => `${begin}\n${content}\n\n${end}`)
}
