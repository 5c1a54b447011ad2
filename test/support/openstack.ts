import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The `openstack` command against a service, many commands in one run of Python. */
export type Openstack = {
  /** Runs a command that prints JSON (`-f json` is added), or nothing; throws when it fails. */
  json<T = Record<string, unknown>>(...args: string[]): Promise<T>
  /** Runs a command as it is. */
  run(...args: string[]): Promise<{ code: number; out: string; err: string }>
  stop(): Promise<void>
}

/** Starts it; `url` is where the service listens. */
export function startOpenstack(url: string): Openstack {
  // -P: what lies beside the script must not stand in for the client's own modules.
  const child = spawn('/usr/bin/python3', ['-P', join(import.meta.dirname, 'openstack.py'), `${url}/openstack/v2`], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let trouble = ''
  child.stderr.on('data', (chunk) => {
    trouble += chunk
  })
  const waiting: ((line: string | undefined) => void)[] = []
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(line))
  child.on('close', () => {
    for (const answer of waiting.splice(0)) answer(undefined)
  })

  async function run(...args: string[]) {
    const answer = new Promise<string | undefined>((resolve) => waiting.push(resolve))
    child.stdin.write(`${JSON.stringify(args)}\n`)
    const patience = setTimeout(() => child.kill(), 60_000)
    const line = await answer
    clearTimeout(patience)
    if (line === undefined) throw new Error(`openstack ${args.join(' ')}: ${trouble}`)
    const [code, out, err] = JSON.parse(line) as [number, string, string]
    return { code, out, err }
  }

  return {
    run,
    async json<T>(...args: string[]) {
      const { code, out, err } = await run(...args, '-f', 'json')
      if (code !== 0) throw new Error(`openstack ${args.join(' ')}: ${out}${err}`)
      return JSON.parse(out) as T
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.stdin.end()
      await once(child, 'close')
    },
  }
}
