import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { defaultPoolId } from '../../src/resources/pools/fields.ts'
import { freePort } from '../../test/support/port.ts'
import { root, startProgram } from '../../test/support/program.ts'
import { pinned } from '../support/processes.ts'
import { type BenchZone, textOf } from './zone.ts'

/** The real service in a process of its own, with a zone in it. */
export type Ours = {
  readonly port: number
  readonly pid: number
  readonly zoneId: string
  /** Calls the API; the body of its answer. */
  call(method: string, path: string, body?: object | string): Promise<Record<string, unknown>>
  stop(): Promise<void>
}

/** Starts the service on core 0 as `npm start` does, and imports the zone through its API. */
export async function startOurs(zone: BenchZone, patience: number): Promise<Ours> {
  const dataDir = await mkdtemp(join(tmpdir(), 'nameplane-bench-'))
  const [api, port] = [await freePort(), await freePort()]
  const node = [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    ...nodeOptions(),
    join(root, 'bin', 'nameplane'),
  ]
  const settings = ['--api-listen', `127.0.0.1:${api}`, '--dns-listen', `127.0.0.1:${port}`, '--data-dir', dataDir]
  const content = ['--default-ns', `ns1.${zone.origin}`, '--quota-zone-records', '-1', '--quota-zone-recordsets', '-1']
  const [command, ...args] = [...(pinned ? ['taskset', '-c', '0'] : []), ...node, 'serve', ...settings, ...content]
  const program = startProgram(command!, args, { cwd: dataDir })
  const stop = async () => {
    program.child.kill('SIGTERM')
    const late = setTimeout(() => program.child.kill('SIGKILL'), 10_000)
    await program.ended
    clearTimeout(late)
    await rm(dataDir, { recursive: true, force: true })
  }
  const call: Ours['call'] = async (method, path, body) => {
    const type = typeof body === 'string' ? 'text/dns' : 'application/json'
    const answer = await fetch(`http://127.0.0.1:${api}${path}`, {
      method,
      ...(body !== undefined && {
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'Content-Type': type },
      }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 1000)}`)
    return JSON.parse(text)
  }
  try {
    const deadline = Date.now() + patience
    const waitFor = async (what: string, isSo: () => boolean | Promise<boolean>) => {
      while (!(await isSo())) {
        if (Date.now() > deadline || program.child.exitCode !== null)
          throw new Error(`no ${what} within ${patience} ms: ${program.stderr().slice(-2000)}`)
        await sleep(20)
      }
    }
    await waitFor('start', () => program.stdout().includes('Nameplane is running'))
    await call('PATCH', `/v2/pools/${defaultPoolId}/transfers`, { addresses: ['127.0.0.1'] })
    const { id } = await call('POST', '/v2/zones/tasks/imports', textOf(zone))
    let zoneId = ''
    await waitFor('import', async () => {
      const { status, message, zone_id } = await call('GET', `/v2/zones/tasks/imports/${id}`)
      if (status === 'ERROR') throw new Error(`the import failed: ${message}`)
      zoneId = String(zone_id)
      return status === 'COMPLETE'
    })
    await waitFor('answer', async () => (await call('GET', `/v2/zones/${zoneId}`)).status === 'ACTIVE')
    return { port, pid: program.child.pid!, zoneId, call, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Extra flags for the service, such as `--cpu-prof`, from BENCH_NODE_OPTIONS. */
const nodeOptions = (): string[] => (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter((flag) => flag !== '')
