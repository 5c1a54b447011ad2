import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { type SettingName, settingNames, settingRows } from '../config.ts'
import type { Given } from './given.ts'
import { suggestion } from './nearest.ts'

/** The settings that the text of a YAML file gives; what is wrong with it is added to the faults. */
export function settingsOfYaml(text: string, file: string, faults: string[]): ReadonlyMap<SettingName, Given> {
  const found = new Map<SettingName, Given>()
  const document = parseDocument(text, { prettyErrors: true })
  const [error] = document.errors
  if (error) {
    faults.push(`${file}: ${error.message.split('\n')[0]?.replace(/:$/, '')}`)
    return found
  }
  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === null)) return found
  if (!isMap(contents)) {
    faults.push(`${file}: must hold lines of the form SETTING: VALUE`)
    return found
  }
  for (const { key: keyNode, value: node } of contents.items) {
    const key = String(keyNode)
    const label = `${file}: ${key}`
    if (!isSettingName(key)) {
      faults.push(`${label} is no setting${suggestion(key, settingNames)}`)
      continue
    }
    const value = settingText(key, isAlias(node) ? node.resolve(document) : node, label, faults)
    if (value !== undefined) found.set(key, { text: value, origin: `file ${file}`, label })
  }
  return found
}

const isSettingName = (key: string): key is SettingName => (settingNames as readonly string[]).includes(key)

/** The text of one value as it stands in the file (`1000`, not `1e3` as a number); undefined when it is empty. */
function settingText(name: SettingName, node: unknown, label: string, faults: string[]): string | undefined {
  if (node === null) return undefined
  if (isScalar(node)) return node.value === null ? undefined : scalarText(node)
  if (settingRows[name].kind === 'list' && isSeq(node) && node.items.every((item) => isScalar(item))) {
    return node.items.map(scalarText).join(',')
  }
  faults.push(settingRows[name].kind === 'list' ? `${label} must be a list of values` : `${label} must be one value`)
  return undefined
}

function scalarText(node: { readonly value: unknown; readonly source?: string | undefined }): string {
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))
}
