import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { root } from './program.ts'

const notCheckedIn = new Set(['node_modules', '.git', 'data', 'dist', 'coverage'])

/** A copy of the checkout as a newcomer has it: nothing installed, nothing built. */
export function freshCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nameplane-checkout-'))
  cpSync(root, folder, { recursive: true, filter: (source) => !notCheckedIn.has(relative(root, source)) })
  return folder
}

/** The environment of somebody who has the system's Node and npm and none of ours. */
export function systemEnvironment(): Record<string, string> {
  const path = (process.env.PATH ?? '').split(delimiter).filter((part) => !part.includes('node_modules'))
  const env: Record<string, string> = { PATH: path.join(delimiter) }
  // Clears what an npm that runs these tests told them about itself.
  for (const name of Object.keys(process.env)) if (/^npm_(?!config_(cache|registry))/i.test(name)) env[name] = ''
  return env
}
