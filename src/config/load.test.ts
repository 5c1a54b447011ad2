import { deepEqual, equal, match } from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { environmentName, flagName, settingNames, settings } from '../config.ts'
import { Trouble } from '../trouble.ts'
import { readFlags } from './flags.ts'
import { type Loaded, loadConfig } from './load.ts'
import { settingsHelp, settingsInForce, settingsTable } from './print.ts'

const folder = mkdtempSync(join(tmpdir(), 'nameplane-config-'))
after(() => rmSync(folder, { recursive: true }))

let files = 0

/** Loads settings from a file with the given text (none when undefined), an environment and flags. */
async function load(
  yaml: string | undefined,
  environment: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<Loaded> {
  const path = join(folder, `${files++}.yaml`)
  if (yaml !== undefined) writeFileSync(path, yaml)
  return loadConfig(readFlags([...(yaml === undefined ? [] : ['--config', path]), ...args]), environment)
}

async function lines(...args: Parameters<typeof load>): Promise<string[]> {
  try {
    await load(...args)
  } catch (error) {
    if (!(error instanceof Trouble)) throw error
    return error.message.replaceAll(folder, '').split('\n')
  }
  return []
}

test('[L4] a flag goes before the environment, that before the file, that before the default', async () => {
  const yaml = 'max_limit: 500\ndefault_limit: 30\nlog_level: warn\n'
  const environment = { NAMEPLANE_MAX_LIMIT: '600', NAMEPLANE_DEFAULT_LIMIT: '40' }
  const { config, given } = await load(yaml, environment, ['--max-limit', '700'])
  equal(config.max_limit, 700)
  equal(given.max_limit.origin, 'flag --max-limit')
  equal(config.default_limit, 40)
  equal(given.default_limit.origin, 'environment NAMEPLANE_DEFAULT_LIMIT')
  equal(config.log_level, 'warn')
  match(given.log_level.origin, /^file .*\.yaml$/)
  equal(config.auth, 'none')
  equal(given.auth.origin, 'default')
})

test('[L4] the defaults are right by themselves', async () => {
  const { config } = await load(undefined)
  deepEqual(config.api_listen, { host: '127.0.0.1', port: 9001 })
  deepEqual(config.dns_listen, [{ host: '127.0.0.1', port: 5354 }])
  deepEqual([config.default_limit, config.max_limit, config.max_body_bytes], [20, 1000, 1048576])
  deepEqual([config.database_url, config.public_url, config.trusted_proxies], [undefined, undefined, []])
  deepEqual(config.default_ns, ['ns1.nameplane.test.'])
})

test('[L4] a list is given with commas, as a YAML list, or by its flag several times', async () => {
  const wanted = ['ns1.example.org.', 'ns2.example.org.']
  deepEqual((await load('default_ns: ns1.example.org., ns2.example.org.\n')).config.default_ns, wanted)
  deepEqual((await load('default_ns:\n  - ns1.example.org.\n  - ns2.example.org.\n')).config.default_ns, wanted)
  deepEqual((await load(undefined, { NAMEPLANE_DEFAULT_NS: wanted.join(',') })).config.default_ns, wanted)
  deepEqual(
    (
      await load(
        undefined,
        {},
        wanted.flatMap((ns) => ['--default-ns', ns]),
      )
    ).config.default_ns,
    wanted,
  )
})

test('[L4] flags take --flag VALUE and --flag=VALUE, and a switch stands alone', async () => {
  const { config } = await load(undefined, {}, ['--api-listen=0.0.0.0:80', '--auth-none-anywhere', '--max-limit', '50'])
  deepEqual([config.api_listen.host, config.auth_none_anywhere, config.max_limit], ['0.0.0.0', true, 50])
  equal((await load(undefined, {}, ['--auth-none-anywhere=false'])).config.auth_none_anywhere, false)
})

test('[L4] an empty variable, an empty value and an empty file count as not set', async () => {
  equal((await load('public_url:\n', { NAMEPLANE_MAX_LIMIT: '' })).config.max_limit, 1000)
  equal((await load('')).config.max_limit, 1000)
  equal((await load('# only a comment\n')).config.max_limit, 1000)
})

test('[L5] a bad value stops the start with a line that names the setting as it was given', async () => {
  deepEqual(
    await lines('max_limit: many\n'),
    ['/7.yaml: max_limit must be a whole number from 1 to 100000, not "many"'].map(numbered),
  )
  match(
    (await lines(undefined, { NAMEPLANE_API_LISTEN: '9001' }))[0]!,
    /^NAMEPLANE_API_LISTEN must be ADDRESS:PORT.*, not "9001"$/,
  )
  match((await lines(undefined, {}, ['--log-level', 'loud']))[0]!, /^--log-level must be trace, debug.*, not "loud"$/)
  match((await lines('api_listen: [a, b]\n'))[0]!, /api_listen must be one value$/)
  match((await lines('default_ns: {a: b}\n'))[0]!, /default_ns must be a list of values$/)
})

test('[L5] several bad values give a line each', async () => {
  equal((await lines('max_limit: x\n', { NAMEPLANE_AUTH: 'y' }, ['--log-format', 'z'])).length, 3)
})

test('[L5] values that contradict each other are refused', async () => {
  match(
    (await lines(undefined, { NAMEPLANE_MAX_LIMIT: '10' }))[0]!,
    /^default_limit \(20\) must not be more than max_limit \(10\)$/,
  )
})

test('[L6] an unknown variable, key or flag is refused with the nearest name there is', async () => {
  deepEqual(await lines(undefined, { NAMEPLANE_API_LISTN: 'x' }), [
    'NAMEPLANE_API_LISTN is no setting (did you mean NAMEPLANE_API_LISTEN?)',
  ])
  match((await lines('api-listen: 127.0.0.1:1\n'))[0]!, /: api-listen is no setting \(did you mean api_listen\?\)$/)
  deepEqual(await lines(undefined, {}, ['--databse-url', 'x']), [
    '--databse-url is no flag (did you mean --database-url?)',
  ])
  deepEqual(await lines(undefined, { NAMEPLANE_ZZZZZZZZZZZZ: 'x' }), ['NAMEPLANE_ZZZZZZZZZZZZ is no setting'])
  match((await lines('__proto__: 1\n'))[0]!, /__proto__ is no setting/)
})

test('[L6] a flag without its value, or given twice, is refused', async () => {
  deepEqual(await lines(undefined, {}, ['--max-limit']), ['--max-limit needs a value: --max-limit VALUE'])
  deepEqual(await lines(undefined, {}, ['--data-dir', '--max-limit', '5']), [
    '--data-dir needs a value: --data-dir VALUE',
  ])
  deepEqual(await lines(undefined, {}, ['--max-limit=5', '--max-limit=6']), ['--max-limit is given twice'])
})

test('[L6] a settings file that is missing, broken or no mapping is refused in one line', async () => {
  match(
    (await lines(undefined, { NAMEPLANE_CONFIG: join(folder, 'none.yaml') }))[0]!,
    /^cannot read the settings file .*ENOENT/,
  )
  for (const yaml of [
    'a: [1\n',
    '- a\n',
    'text',
    'max_limit: 1\nmax_limit: 2\n',
    'auth: *b\n',
    '{',
    'a: !!js 1',
    '? [a]\n: b\n',
  ]) {
    equal((await lines(yaml)).length, 1, yaml)
  }
})

test('[L6] variables of the commands that speak to a service are passed over', async () => {
  const clients = { NAMEPLANE_URL: 'http://192.0.2.1:9001', NAMEPLANE_TOKEN: 'x', NAMEPLANE_PROJECT: 'y' }
  deepEqual(await lines(undefined, clients), [])
})

test('[L6] variables Kubernetes makes of a Service are passed over, a mistyped setting like them is not', async () => {
  const links = {
    NAMEPLANE_SERVICE_HOST: '10.0.0.1',
    NAMEPLANE_SERVICE_PORT: '9001',
    NAMEPLANE_SERVICE_PORT_API: '9001',
    NAMEPLANE_PORT: 'tcp://10.0.0.1:9001',
    NAMEPLANE_PORT_9001_TCP: 'tcp://10.0.0.1:9001',
    NAMEPLANE_PORT_9001_TCP_ADDR: '10.0.0.1',
    NAMEPLANE_API_PORT: 'tcp://10.0.0.1:9001',
  }
  deepEqual(await lines(undefined, links), [])
  equal((await lines(undefined, { NAMEPLANE_API_PORT: '9001' })).length, 1)
})

test('[L7] what is in force is printed with its origin and without secrets', async () => {
  const text = settingsInForce(await load(undefined, { NAMEPLANE_DATABASE_URL: 'postgres://u:hunter2@h/d' }))
  match(text, /^database_url +postgres:\/\/u:\*\*\*@h\/d +environment NAMEPLANE_DATABASE_URL$/m)
  match(text, /^api_listen +127\.0\.0\.1:9001 +default$/m)
  equal(text.includes('hunter2'), false)
  equal(text.split('\n').length, settingNames.length + 1)
})

test('[L8] auth none is refused on an address other machines can reach, unless that is allowed', async () => {
  for (const host of ['0.0.0.0', '192.0.2.1', '[::]', 'example.org', '128.0.0.1']) {
    match(
      (await lines(undefined, {}, ['--api-listen', `${host}:1`]))[0]!,
      /with auth none everyone .*--auth-none-anywhere$/,
      host,
    )
    deepEqual(await lines(undefined, {}, ['--api-listen', `${host}:1`, '--auth-none-anywhere']), [])
  }
  for (const host of ['127.0.0.1', '127.9.9.9', '[::1]', 'localhost']) {
    deepEqual(await lines(undefined, {}, ['--api-listen', `${host}:1`]), [], host)
  }
})

test('every setting has help, and help and documentation name all of them', () => {
  for (const name of settingNames) {
    match(settings[name].help, /^[A-Z].*\.$/)
    equal(settingsHelp().includes(`  ${flagName(name)}`), true, name)
    equal(settingsTable().includes(`\`${environmentName(name)}\``), true, name)
  }
})

const numbered = (line: string): string => line.replace('/7.yaml', `/${files - 1}.yaml`)
