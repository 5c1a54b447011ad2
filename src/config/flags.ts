import { flagName, type SettingName, settingNames, settingRows } from '../config.ts'
import { Trouble } from '../trouble.ts'
import type { Given } from './given.ts'
import { suggestion } from './nearest.ts'

/** What the command line says about settings, and the words that are not flags. */
export type Flags = {
  readonly config: string | undefined
  readonly words: readonly string[]
  readonly settings: ReadonlyMap<SettingName, Given>
}

const wrongUse = 2

/** Reads `--flag VALUE`, `--flag=VALUE`, and a switch that stands alone; a list's flag may come several times. */
export function readFlags(args: readonly string[]): Flags {
  const names = new Map(settingNames.map((name) => [flagName(name), name]))
  const settings = new Map<SettingName, Given>()
  const words: string[] = []
  let config: string | undefined
  for (let i = 0; i < args.length; i += 1) {
    const argument = args[i]!
    if (!argument.startsWith('-') || argument === '-') {
      words.push(argument)
      continue
    }
    const [flag, attached] = splitOnce(argument)
    const name = names.get(flag)
    if (name === undefined && flag !== '--config') {
      throw new Trouble(`${flag} is no flag${suggestion(flag, ['--config', '--help', ...names.keys()])}`, wrongUse)
    }
    const alone = name !== undefined && settingRows[name].kind === 'switch' && attached === undefined
    const text = alone ? 'true' : (attached ?? args[++i])
    if (text === undefined || (attached === undefined && !alone && text.startsWith('--'))) {
      throw new Trouble(`${flag} needs a value: ${flag} VALUE`, wrongUse)
    }
    if (name === undefined) config = text
    else settings.set(name, { text: joined(name, settings.get(name), text), origin: `flag ${flag}`, label: flag })
  }
  return { config, words, settings }
}

function joined(name: SettingName, before: Given | undefined, text: string): string {
  if (before === undefined) return text
  if (settingRows[name].kind === 'list') return `${before.text},${text}`
  throw new Trouble(`${flagName(name)} is given twice`, wrongUse)
}

function splitOnce(argument: string): [flag: string, value: string | undefined] {
  const at = argument.indexOf('=')
  return at < 0 ? [argument, undefined] : [argument.slice(0, at), argument.slice(at + 1)]
}
