import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { seedZones, step } from './zones/seed.ts'

/** Fills an empty store: `npm run bench seed -- --zones 100000 --data DIR`, or `--url postgres://…`. */
const { values } = parseArgs({
  options: {
    zones: { type: 'string', default: '10000' },
    data: { type: 'string', default: 'seeded' },
    url: { type: 'string' },
  },
})
const zones = Number(values.zones)
if (!Number.isSafeInteger(zones) || zones < step || zones % step !== 0) {
  console.error(`--zones must be a multiple of ${step}, not ${values.zones}`)
  process.exit(2)
}
const dataDir = resolve(values.data)
await mkdir(dataDir, { recursive: true })
await seedZones({ dataDir, url: values.url }, zones)
console.log(values.url === undefined ? `run it with: npm start -- --data-dir ${dataDir}` : 'done')
