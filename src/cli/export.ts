import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { toUuid } from '../ids.ts'
import { Trouble } from '../trouble.ts'
import { type Client, openClient, Refusal } from './client.ts'
import type { Command } from './command.ts'
import { readWords } from './words.ts'

/** `nameplane export` */
export const exportZones: Command = {
  summary: 'Write zones as zone files.',
  usage: 'nameplane export [--output FOLDER] [--url URL] ZONE…',
  help: `A ZONE is the name or the id of a zone. One zone goes to the standard output; with --output each goes to a file of its
name in that folder, which is made if it is not there.

--url       The service; else NAMEPLANE_URL, else http://127.0.0.1:9001. NAMEPLANE_TOKEN and NAMEPLANE_PROJECT say who asks.`,
  async run(args) {
    const { words, flags } = readWords(args, ['output', 'url'], [])
    if (words.length === 0) throw new Trouble('export needs the name or id of a zone; see nameplane help export', 2)
    if (words.length > 1 && flags.output === undefined) throw new Trouble('several zones need --output FOLDER', 2)
    const client = openClient(flags.url, process.env)
    if (flags.output !== undefined) makeFolder(flags.output)
    let failed = 0
    for (const word of words) {
      try {
        await exportOne(client, word, flags.output)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        failed++
        process.stderr.write(`nameplane: ${word}: ${error.message}\n`)
      }
    }
    return failed === 0 ? 0 : 1
  },
}

type Zone = { readonly id: string; readonly name: string }

async function exportOne(client: Client, word: string, folder: string | undefined): Promise<void> {
  const { id, name } = await find(client, word)
  const task = await client.json<{ id: string }>('POST', `/v2/zones/${id}/tasks/export`)
  const parts = Readable.from(await client.stream(`/v2/zones/tasks/exports/${task.id}/export`, 'text/dns'))
  const file = folder && join(folder, `${name.replaceAll('/', '_')}zone`)
  if (file === undefined) await pipeline(parts, process.stdout, { end: false })
  else {
    await pipeline(parts, createWriteStream(file)).catch((error: unknown) => {
      throw isOfFiles(error) ? new Trouble(`cannot write ${file}: ${error.message}`) : error
    })
    process.stdout.write(`${name} ${file}\n`)
  }
  // Only the file was wanted.
  await client.json('DELETE', `/v2/zones/tasks/exports/${task.id}`).catch(() => {})
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new Trouble(`cannot make the folder ${folder}: ${(error as Error).message}`)
  }
}

/** Whether an error is one of the file system, which names the path. */
const isOfFiles = (error: unknown): error is Error => error instanceof Error && 'path' in error && 'syscall' in error

async function find(client: Client, word: string): Promise<Zone> {
  const id = toUuid(word)
  if (id !== undefined) return client.json<Zone>('GET', `/v2/zones/${id}`)
  const name = word.endsWith('.') ? word : `${word}.`
  const { zones } = await client.json<{ zones: Zone[] }>('GET', `/v2/zones?name=${encodeURIComponent(name)}`)
  if (zones.length > 1)
    throw new Trouble(
      `there are ${zones.length} zones ${name}; give the id of one: ${zones.map((one) => one.id).join(', ')}`,
    )
  return zones[0] ?? Promise.reject(new Refusal(404, `there is no zone ${name}`))
}
