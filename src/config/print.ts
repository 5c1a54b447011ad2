import { environmentName, flagName, type SettingName, settingNames, settingRows } from '../config.ts'
import type { Loaded } from './load.ts'

/** Settings as lines of `--help`. */
export function settingsHelp(names: readonly SettingName[] = settingNames): string {
  const flags = ['--config FILE', ...names.map((name) => `${flagName(name)}${value(name)}`)]
  const width = Math.max(...flags.map((flag) => flag.length)) + 2
  const lines = [
    `  ${flags[0]!.padEnd(width)}Settings file; else nameplane.yaml in the working folder, if it is there.`,
  ]
  for (const [i, name] of names.entries()) {
    const setting = settingRows[name]
    const standard = setting.default === '' || setting.kind === 'switch' ? '' : ` [${setting.default}]`
    lines.push(`  ${flags[i + 1]!.padEnd(width)}${setting.help}${standard}`)
  }
  return lines.join('\n')
}

/** Every setting, its value (secrets masked) and where it came from: what `nameplane config` prints. */
export function settingsInForce(loaded: Loaded): string {
  const rows = settingNames.map((name) => {
    const { text, origin } = loaded.given[name]
    const mask = settingRows[name].mask
    return [name, text === '' ? '-' : mask ? mask(text) : text, origin]
  })
  return aligned([['setting', 'value', 'from'], ...rows])
}

/** The settings as the Markdown table of docs/operating.md. */
export function settingsTable(): string {
  const rows = settingNames.map((name) => {
    const setting = settingRows[name]
    const standard = setting.default === '' ? '' : `\`${setting.default}\``
    return `| \`${name}\` | \`${environmentName(name)}\` | \`${flagName(name)}\` | ${standard} | ${setting.help} |`
  })
  return ['| nameplane.yaml | environment | flag | default | |', '|---|---|---|---|---|', ...rows].join('\n')
}

function value(name: keyof typeof settingRows): string {
  const { kind } = settingRows[name]
  if (kind === 'switch') return ''
  return kind === 'list' ? ' VALUE,…' : ' VALUE'
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]! + 2))
        .join('')
        .trimEnd(),
    )
    .join('\n')
}
