import { Trouble } from '../trouble.ts'

/** What a command of words and flags was given. */
export type Words = {
  readonly words: readonly string[]
  readonly flags: Readonly<Record<string, string>>
  readonly switches: ReadonlySet<string>
}

/** Reads words, flags with a value (`--mode merge`, `--mode=merge`) and switches (`--yes`). */
export function readWords(args: readonly string[], flags: readonly string[], switches: readonly string[]): Words {
  const words: string[] = []
  const given: Record<string, string> = {}
  const on = new Set<string>()
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    if (arg === '--') {
      words.push(...args.slice(i + 1))
      break
    }
    if (!arg.startsWith('--')) {
      words.push(arg)
      continue
    }
    const [name, value] = split(arg.slice(2))
    if (switches.includes(name) && value === undefined) on.add(name)
    else if (flags.includes(name)) {
      const text = value ?? args[++i]
      if (text === undefined) throw new Trouble(`--${name} must be followed by a value`, 2)
      given[name] = text
    } else {
      const known = [...flags, ...switches].map((one) => `--${one}`).join(', ')
      throw new Trouble(`${arg} is no flag here; there are ${known}`, 2)
    }
  }
  return { words, flags: given, switches: on }
}

function split(text: string): [string, string | undefined] {
  const at = text.indexOf('=')
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}
