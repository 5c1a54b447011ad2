import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export type Perf = {
  readonly answered: number
  readonly lost: number
  readonly perSecond: number
  /** Mean time to an answer, in microseconds. */
  readonly latency: number
}

const run = promisify(execFile)

/** Drives a server with `dnsperf` for some seconds, from the core this process runs on. */
export async function dnsperf(port: number, questions: string, seconds: number): Promise<Perf> {
  const options = ['-s', '127.0.0.1', '-p', String(port), '-d', questions, '-c', '8', '-q', '200', '-t', '1']
  const { stdout } = await run('dnsperf', [...options, '-l', String(seconds)], { timeout: (seconds + 20) * 1000 })
  const figure = (pattern: RegExp) => {
    const found = pattern.exec(stdout)?.[1]
    if (found === undefined) throw new Error(`dnsperf said ${stdout}`)
    return Number(found)
  }
  return {
    answered: figure(/Queries completed: +(\d+)/),
    lost: figure(/Queries lost: +(\d+)/),
    perSecond: figure(/Queries per second: +([\d.]+)/),
    latency: figure(/Average Latency \(s\): +([\d.]+)/) * 1e6,
  }
}
