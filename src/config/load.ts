import { type Config, contradictions, type SettingName, settingNames, settingRows } from '../config.ts'
import { Trouble } from '../trouble.ts'
import { readEnvironment } from './environment.ts'
import { readConfigFile } from './file.ts'
import type { Flags } from './flags.ts'
import type { Given } from './given.ts'
import { BadValue } from './parse.ts'

/** The settings in force, and for each the text it came from. */
export type Loaded = {
  readonly config: Config
  readonly given: Readonly<Record<SettingName, Given>>
}

/** Reads every setting: flag before environment before file before default. What is wrong is told all at once. */
export async function loadConfig(flags: Flags, environment: NodeJS.ProcessEnv): Promise<Loaded> {
  const faults: string[] = []
  const fromEnvironment = readEnvironment(environment, faults)
  const path = flags.config ?? fromEnvironment.config
  const fromFile = await readConfigFile(path, faults)
  const given: Partial<Record<SettingName, Given>> = {}
  const values: Partial<Record<SettingName, unknown>> = {}
  for (const name of settingNames) {
    const found =
      flags.settings.get(name) ?? fromEnvironment.settings.get(name) ?? fromFile.get(name) ?? byDefault(name)
    given[name] = found
    try {
      values[name] = settingRows[name].parse(found.text)
    } catch (error) {
      if (!(error instanceof BadValue)) throw error
      faults.push(`${found.label} ${error.message}`)
    }
  }
  if (faults.length === 0) faults.push(...contradictions(values as Config))
  if (faults.length > 0) throw new Trouble(faults.join('\n'))
  return { config: values as Config, given: given as Record<SettingName, Given> }
}

const byDefault = (name: SettingName): Given => ({ text: settingRows[name].default, origin: 'default', label: name })
