import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stdout } from 'node:process'

export type ToolResult = { readonly name: string; readonly ok: boolean; readonly milliseconds: number }

/** Runs a checker of node_modules/.bin and shows what it says only when it found something. */
export async function runTool(name: string, program: string, args: readonly string[]): Promise<ToolResult> {
  const started = performance.now()
  const child = spawn(`node_modules/.bin/${program}`, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) stdout.write(`${Buffer.concat(output)}\n`)
  return { name, ok: code === 0, milliseconds: performance.now() - started }
}
