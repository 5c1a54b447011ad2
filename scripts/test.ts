import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { argv, exit, stdout } from 'node:process'
import { type Finished, runFile } from './test/file.ts'
import { runTool } from './test/tool.ts'

const usage = `npm test [-- TEXT…]           lint, types and every test; with TEXT only test files whose path contains it
npm run test:fast [-- TEXT…]  the same without *.peer.test.ts, which need programs of others`

const fileTimeout = 300_000

const flags = argv.slice(2).filter((argument) => argument.startsWith('-'))
const texts = argv.slice(2).filter((argument) => !argument.startsWith('-'))
const unknown = flags.find((flag) => flag !== '--fast')
if (unknown !== undefined) {
  stdout.write(`${usage}\n`)
  exit(unknown === '--help' ? 0 : 2)
}
// A setting of the person's own must not change what the tests see.
for (const name of Object.keys(process.env)) if (name.startsWith('NAMEPLANE_')) delete process.env[name]

const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
  .filter((file) => !(flags.includes('--fast') && file.endsWith('.peer.test.ts')))
  .filter((file) => texts.length === 0 || texts.some((text) => file.includes(text)))
  .toSorted()
if (files.length === 0) {
  stdout.write(`no test file matches ${texts.join(' or ')}\n`)
  exit(1)
}

const started = performance.now()
const tools = texts.length > 0 ? [] : [runTool('lint', 'biome', ['check', '.']), runTool('types', 'tsc', ['--noEmit'])]
const toolResults = await Promise.all(tools)
const testsStarted = performance.now()
const finished = await runAll(files)
report()

async function runAll(queue: readonly string[]): Promise<Finished[]> {
  // What talks to servers of others takes longest; begun first, it does not trail behind at the end.
  const waiting = queue.toSorted((a, b) => Number(b.includes('.peer.')) - Number(a.includes('.peer.')))
  const done: Finished[] = []
  async function worker(): Promise<void> {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = await runFile(file, fileTimeout)
      done.push(result)
      stdout.write(`${result.fault ? 'FAIL' : 'ok  '} ${seconds(result.milliseconds)}  ${file} (${result.passed})\n`)
      if (result.fault) stdout.write(`${result.output.trimEnd()}\n${file}: ${result.fault}\n\n`)
    }
  }
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker))
  return done
}

function report(): void {
  const failed = finished.filter((file) => file.fault)
  const passed = finished.reduce((sum, file) => sum + file.passed, 0)
  const skipped = finished.reduce((sum, file) => sum + file.skipped, 0)
  stdout.write('\n')
  for (const tool of toolResults) {
    stdout.write(`${tool.name.padEnd(6)} ${seconds(tool.milliseconds)}  ${tool.ok ? 'ok' : 'FAILED, see above'}\n`)
  }
  const failures = failed.length === 0 ? 'none failed' : `FAILED: ${failed.map((file) => file.file).join(' ')}`
  stdout.write(
    `tests  ${seconds(performance.now() - testsStarted)}  ${passed} passed in ${files.length} files${skipped > 0 ? `, ${skipped} skipped` : ''}, ${failures}\n` +
      `total  ${seconds(performance.now() - started)}\n`,
  )
  exit(failed.length > 0 || toolResults.some((tool) => !tool.ok) ? 1 : 0)
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1).padStart(6)} s`
}
