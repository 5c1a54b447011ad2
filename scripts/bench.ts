import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'

const folder = join(import.meta.dirname, '..', 'bench')
const names = globSync('*.ts', { cwd: folder })
  .map((file) => basename(file, '.ts'))
  .toSorted()
const [name, ...rest] = process.argv.slice(2)

if (name === undefined || !names.includes(name)) {
  console.error(`usage: npm run bench NAME [-- --quick] [-- --json FILE], where NAME is one of: ${names.join(' ')}`)
  process.exit(2)
}
const { status } = spawnSync(process.execPath, [join(folder, `${name}.ts`), ...rest], { stdio: 'inherit' })
process.exit(status ?? 1)
