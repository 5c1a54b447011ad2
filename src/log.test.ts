import { equal, match } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { readable } from './log.ts'

const line = (rest: object): string => JSON.stringify({ level: 30, time: 0, msg: 'ready', ...rest })

test('[L15] a readable line has time, level, message and fields', () => {
  match(
    readable(line({ api: 'http://x', applied: [1, 2] }), false),
    /^\d\d:\d\d:\d\d info {2}ready api=http:\/\/x applied=\[1,2\]$/,
  )
})

test('[L15] an error shows its stack below the line', () => {
  const text = readable(line({ level: 50, err: { message: 'm', stack: 'Error: m\n    at x' } }), false)
  match(text, /error ready\nError: m\n {4}at x$/)
})

test('[L15] values that could be taken for something else are quoted', () => {
  match(readable(line({ a: 'b c', d: '', e: 'f\ng' }), false), / a="b c" d="" e="f\\ng"$/)
})

test('[L15] colour only where asked for', () => {
  equal(readable(line({}), false).includes('\x1b'), false)
  equal(readable(line({}), true).includes('\x1b['), true)
})

function logged(format: string): string {
  const code = `import { openLog } from './src/log.ts'; openLog({ level: 'info', format: '${format}' }).info({ a: 1 }, 'hello')`
  const { stderr, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })
  equal(stdout, '')
  return stderr
}

test('[L15] the log goes to standard error, as JSON lines where that is no terminal', () => {
  const { level, msg, a } = JSON.parse(logged('auto')) as Record<string, unknown>
  equal(`${level} ${msg} ${a}`, '30 hello 1')
  equal(JSON.parse(logged('json')).msg, 'hello')
  match(logged('pretty'), / info {2}hello a=1\n$/)
})
