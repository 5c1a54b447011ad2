import { parentPort, workerData } from 'node:worker_threads'
import { ArenaWriter } from '../../src/nameserver/arena/writer.ts'
import { ArenaLinks } from './arena-links.ts'
import { generation, nextGeneration } from './generations.ts'

// Changes zones for a while in every way there is, and lets memory grow meanwhile.
const { zones, readers, milliseconds } = workerData as { zones: number; readers: number; milliseconds: number }
const links = new ArenaLinks()
const writer = new ArenaWriter(links.grown)
const names = Array.from({ length: zones }, (_, i) => `z${i}.test.`)
for (const name of names) writer.putZone({ id: name, name, serial: 1 }, generation(name, 1))
const connected = Array.from({ length: readers }, () => links.connect(writer))
parentPort!.postMessage(
  connected,
  connected.map(({ port }) => port),
)

const end = Date.now() + milliseconds
let [changes, created] = [0, 0]
while (Date.now() < end) {
  for (let i = 0; i < 50; i++) {
    const at = (changes * 7919) % zones
    const name = names[at]!
    const serial = writer.serialOf(name)!
    if (changes % 11 === 0) writer.putZone({ id: name, name, serial: serial + 1 }, generation(name, serial + 1))
    else writer.apply(name, nextGeneration(name, serial))
    if (at % 5 === 0 && changes % 3 === 0) {
      writer.dropZone(name)
      writer.putZone({ id: name, name, serial: serial + 2 }, generation(name, serial + 2))
    }
    const other = `other${created}.test.`
    writer.putZone({ id: other, name: other, serial: 1 }, generation(other, 1))
    if (created > 3000) writer.dropZone(`other${created - 3000}.test.`)
    created++
    changes++
  }
}
const generations = names.map((name) => writer.serialOf(name)!)
parentPort!.postMessage({ changes, created, generations, stats: writer.stats })
links.close()
