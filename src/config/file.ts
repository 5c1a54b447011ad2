import { existsSync, readFileSync } from 'node:fs'
import type { SettingName } from '../config.ts'
import type { Given } from './given.ts'

const standard = 'nameplane.yaml'

/** Reads the settings of a YAML file: the one named, else nameplane.yaml in the working folder if it is there. */
export async function readConfigFile(
  path: string | undefined,
  faults: string[],
): Promise<ReadonlyMap<SettingName, Given>> {
  if (path === undefined && !existsSync(standard)) return new Map()
  const file = path ?? standard
  const text = readText(file, faults)
  if (text === undefined) return new Map()
  // YAML is much code, and most starts have no such file.
  const { settingsOfYaml } = await import('./yaml.ts')
  return settingsOfYaml(text, file, faults)
}

function readText(file: string, faults: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    faults.push(`cannot read the settings file ${file}: ${(error as Error).message}`)
    return undefined
  }
}
