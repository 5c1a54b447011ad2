import { deepEqual, equal, match } from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { freePort } from './support/port.ts'
import { root, runNameplane, startProgram } from './support/program.ts'
import { startService } from './support/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'nameplane-launch-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const anyPort = ['--api-listen', '127.0.0.1:0']

/** The one line of an expected failure, without the name of the program. */
function oneLine(result: { stderr: string; code: unknown }, code = 1): string {
  const lines = result.stderr.split('\n').filter((line) => line.startsWith('nameplane: '))
  equal(lines.length, 1, result.stderr)
  equal(/\n\s+at /.test(result.stderr), false, 'no stack trace')
  equal(result.code, code)
  return lines[0]!.replace('nameplane: ', '')
}

test('[L9] the banner says where the API and the DNS server listen and data is kept, three commands to try, and how to stop', async (t) => {
  const service = await startService()
  t.after(() => service.stop())
  const text = service.stdout()
  match(text, new RegExp(`API +${service.url}`))
  match(text, new RegExp(`Data +${service.dataDir} \\(SQLite\\)`))
  match(text, /DNS +127\.0\.0\.1:\d+ +\(UDP and TCP\)/)
  equal(text.match(/^ {2}(?:curl|dig) .*$/gm)?.length, 3)
  match(text, /Ctrl-C/)
  for (const command of text.match(/^ {2}curl .*$/gm)!) {
    const [, url, body] = /^ {2}curl -s (\S+)(?: -H 'Content-Type: application\/json' -d '(.*)')?$/.exec(command)!
    const headers = { 'Content-Type': 'application/json' }
    const response = await fetch(url!, body === undefined ? {} : { method: 'POST', headers, body })
    equal(response.ok, true, command)
  }
})

test('[L18] the data folder is made for its owner alone, with what leads to it', async () => {
  const dataDir = join(folder, 'a', 'b')
  const { code, stdout } = await runNameplane(['migrate', '--data-dir', dataDir])
  equal(code, 0)
  match(stdout, /^Applied migrations: 1/)
  equal(statSync(dataDir).mode & 0o777, 0o700)
  equal((await runNameplane(['migrate', '--data-dir', dataDir])).stdout, 'The schema is up to date.\n')
})

test('[L11] a port in use stops the start with one line', async (t) => {
  const port = await freePort()
  const other = createServer().listen(port, '127.0.0.1')
  t.after(() => other.close())
  const result = await runNameplane(['serve', '--api-listen', `127.0.0.1:${port}`, '--data-dir', join(folder, 'port')])
  equal(
    oneLine(result),
    `cannot listen on 127.0.0.1:${port}: another program uses that port; choose another with --api-listen`,
  )
})

test('[L11] an address this machine does not have, or a name nobody knows, stops the start with one line', async () => {
  const serve = (listen: string) =>
    runNameplane(['serve', '--auth-none-anywhere', '--api-listen', listen, '--data-dir', join(folder, 'address')])
  match(oneLine(await serve('192.0.2.1:9001')), /does not have that address/)
})

test('[L12] a data folder that cannot be made stops the start with one line', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, 'keep me')
  const inside = join(file, 'data')
  match(
    oneLine(await runNameplane(['serve', ...anyPort, '--data-dir', inside])),
    /^cannot write to the data folder .*is a file/,
  )
  match(
    oneLine(await runNameplane(['serve', ...anyPort, '--data-dir', file])),
    /^cannot write to the data folder .*is a file/,
  )
  equal(readFileSync(file, 'utf8'), 'keep me')
})

test('[L12] a data folder without permission to write stops the start with one line', async () => {
  const dataDir = join(folder, 'readonly')
  await runNameplane(['migrate', '--data-dir', dataDir])
  chmodSync(folder, 0o755)
  chmodSync(dataDir, 0o555)
  // Permissions do not bind root, so root tries it as somebody else.
  const somebody = process.getuid?.() === 0 ? { uid: 65534 } : {}
  const result = await runNameplane(['serve', ...anyPort, '--data-dir', dataDir], { cwd: folder, ...somebody })
  equal(
    oneLine(result),
    `cannot write to the data folder ${dataDir}: permission denied; choose another with --data-dir`,
  )
  chmodSync(dataDir, 0o700)
})

test('[L12] a database file that is none stops the start with one line and is left as it was', async () => {
  const dataDir = join(folder, 'broken')
  await runNameplane(['migrate', '--data-dir', dataDir])
  const text = 'this is not a database, '.repeat(500)
  writeFileSync(join(dataDir, 'nameplane.db'), text)
  const result = await runNameplane(['serve', ...anyPort, '--data-dir', dataDir])
  equal(oneLine(result), `cannot use the database in ${dataDir}: file is not a database`)
  equal(readFileSync(join(dataDir, 'nameplane.db'), 'utf8'), text)
})

test('[L13] a schema newer than the program stops the start with one line and is left as it was', async () => {
  const dataDir = join(folder, 'newer')
  await runNameplane(['migrate', '--data-dir', dataDir])
  const change = (statement: string): void => {
    const database = new DatabaseSync(join(dataDir, 'nameplane.db'))
    database.exec(statement)
    database.close()
  }
  change("insert into schema_migrations values (9999, 'future', '2030-01-01T00:00:00.000000')")
  const result = await runNameplane(['serve', ...anyPort, '--data-dir', dataDir])
  match(oneLine(result), /schema version 9999, this program knows up to \d+/)
  change('delete from schema_migrations where number = 9999')
  equal((await runNameplane(['migrate', '--data-dir', dataDir])).stdout, 'The schema is up to date.\n')
})

test('[L14] a second process on the same data folder stops with one line, and the first goes on', async (t) => {
  const service = await startService()
  t.after(() => service.stop())
  for (const command of ['serve', 'migrate']) {
    const result = await runNameplane([command, ...anyPort, '--data-dir', service.dataDir])
    match(
      oneLine(result),
      new RegExp(`^the data folder ${service.dataDir} is in use by another nameplane \\(process ${service.pid()}\\)`),
    )
  }
  equal((await fetch(`${service.url}/v2/pools`)).status, 200)
})

test('[L14] after kill -9 the next start works at once and finds what was written', async (t) => {
  const service = await startService()
  t.after(() => service.stop())
  const made = await fetch(`${service.url}/v2/tlds`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"name": "org"}',
  })
  equal(made.status, 201)
  equal(await service.kill('SIGKILL'), 'SIGKILL')
  await service.restart()
  const { tlds } = (await (await fetch(`${service.url}/v2/tlds`)).json()) as { tlds: { name: string }[] }
  deepEqual(
    tlds.map((tld) => tld.name),
    ['org'],
  )
})

test('[L16] help and version end with 0, a wrong command line with 2, a wrong setting with 1', async () => {
  const help = await runNameplane(['--help'])
  equal(help.code, 0)
  for (const word of ['serve', 'migrate', 'config', '--api-listen', '--config FILE'])
    equal(help.stdout.includes(word), true, word)
  equal((await runNameplane(['serve', '--help'])).stdout, (await runNameplane(['help', 'serve'])).stdout)
  for (const [command, shown, left] of [
    ['backup', '--data-dir', '--api-listen'],
    ['migrate', '--database-url', '--api-listen'],
    ['config', '--config FILE', '--data-dir'],
  ] as const) {
    const { stdout } = await runNameplane([command, '--help'])
    deepEqual([stdout.includes(shown), stdout.includes(`  ${left} `)], [true, false], command)
    match(stdout, /nameplane --help\.\n$/)
  }
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  equal((await runNameplane(['--version'])).stdout, `${version}\n`)
  equal(oneLine(await runNameplane(['sevre']), 2), '"sevre" is no command (did you mean serve?); see nameplane --help')
  equal(
    oneLine(await runNameplane(['serve', '--api-lisen', 'x']), 2),
    '--api-lisen is no flag (did you mean --api-listen?)',
  )
  match(oneLine(await runNameplane(['serve', 'now']), 2), /^serve takes only flags, not "now"$/)
  match(oneLine(await runNameplane(['help', 'constructor']), 2), /^"constructor" is no command/)
  match(oneLine(await runNameplane(['serve', '--max-limit', '-5'])), /^--max-limit must be a whole number/)
})

test('[L4] nameplane.yaml in the working folder is read, and nameplane config shows it', async () => {
  const cwd = mkdtempSync(join(folder, 'cwd-'))
  writeFileSync(join(cwd, 'nameplane.yaml'), 'max_limit: 77\n')
  const { stdout } = await runNameplane(['config', '--default-limit', '7'], {
    cwd,
    env: { NAMEPLANE_LOG_LEVEL: 'warn' },
  })
  match(stdout, /^max_limit +77 +file nameplane\.yaml$/m)
  match(stdout, /^default_limit +7 +flag --default-limit$/m)
  match(stdout, /^log_level +warn +environment NAMEPLANE_LOG_LEVEL$/m)
})

test('[L5] a bad setting stops the start before anything is made', async () => {
  const dataDir = join(folder, 'never')
  const env = { NAMEPLANE_DEFAULT_NS: 'ns1.example.org', NAMEPLANE_DATA_DIR: dataDir }
  match(
    oneLine(await runNameplane(['serve'], { env })),
    /^NAMEPLANE_DEFAULT_NS must be a full name that ends with a dot/,
  )
  equal(statSync(dataDir, { throwIfNoEntry: false }), undefined)
})

test('[L8] serving everybody without authentication needs to be allowed', async () => {
  const result = await runNameplane(['serve', '--api-listen', '0.0.0.0:0', '--data-dir', join(folder, 'open')])
  match(oneLine(result), /^api_listen 0\.0\.0\.0 can be reached from other machines/)
})

test('[L21] a PostgreSQL that cannot be reached stops the start with one line and no password', async () => {
  const url = `postgres://u:hunter2@127.0.0.1:${await freePort()}/d`
  const result = await runNameplane(['serve', ...anyPort, '--data-dir', join(folder, 'pg'), '--database-url', url])
  match(oneLine(result), /^the database cannot be reached.*ECONNREFUSED/)
  equal(result.stderr.includes('hunter2'), false)
})

test('[L17] an error nobody caught is logged and ends the process with 1', async () => {
  for (const fault of ['setTimeout(() => { throw new Error("boom") })', 'Promise.reject(new Error("boom"))']) {
    const code = `import { dieLoudly } from './src/signals.ts'; import { openLog } from './src/log.ts'
      dieLoudly(openLog({ level: 'info', format: 'json' })); setInterval(() => {}, 1000); ${fault}`
    const program = startProgram(process.execPath, ['--input-type=module', '-e', code])
    equal(await program.ended, 1)
    const line = JSON.parse(program.stderr()) as { level: number; err: { message: string } }
    deepEqual([line.level, line.err.message], [60, 'boom'])
  }
})
