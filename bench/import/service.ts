import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../test/support/port.ts'

const program = fileURLToPath(new URL('../../bin/nameplane', import.meta.url))

export type Service = { readonly url: string; readonly child: ChildProcess; stop(): Promise<void> }

/** The service as users run it, without limits. */
export async function startService(dataDir: string): Promise<Service> {
  const port = await freePort()
  const quotas = ['zones', 'zone-recordsets', 'zone-records', 'recordset-records', 'api-export-size']
  const args = [
    'serve',
    '--api-listen',
    `127.0.0.1:${port}`,
    '--dns-listen',
    `127.0.0.1:${await freePort()}`,
    '--data-dir',
    dataDir,
  ]
  const child = spawn(process.execPath, [program, ...args, ...quotas.map((name) => `--quota-${name}=-1`)], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const url = `http://127.0.0.1:${port}`
  for (let i = 0; ; i++) {
    if (i === 200 || child.exitCode !== null) throw new Error('the service did not start')
    if ((await fetch(`${url}/readyz`).catch(() => undefined))?.ok) break
    await sleep(50)
  }
  return {
    url,
    child,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}

/** The memory that a process has now and the most it had, in MiB. */
export function memoryOf({ pid }: ChildProcess): { now: number; most: number } {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)![1]) / 1024
  return { now: of('VmRSS'), most: of('VmHWM') }
}

type Shown = {
  readonly id: string
  readonly status: string
  readonly message: string
  readonly progress: { readonly records_read: number }
}

/** Imports a file; tells how many records it had and how many seconds it took, from the first byte sent to the zone being there. */
export async function importFile(
  { url }: Service,
  file: string,
): Promise<{ records: number; sent: number; seconds: number }> {
  const began = performance.now()
  const headers = { 'Content-Type': 'text/dns', 'Content-Length': String(statSync(file).size) }
  const body = Readable.toWeb(createReadStream(file)) as ReadableStream
  const response = await fetch(`${url}/v2/zones/tasks/imports`, {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  } as RequestInit)
  let shown = (await response.json()) as Shown
  const sent = (performance.now() - began) / 1000
  while (shown.status === 'PENDING') {
    await sleep(50)
    shown = (await (await fetch(`${url}/v2/zones/tasks/imports/${shown.id}`)).json()) as Shown
  }
  if (shown.status !== 'COMPLETE') throw new Error(shown.message)
  return { records: shown.progress.records_read, sent, seconds: (performance.now() - began) / 1000 }
}
