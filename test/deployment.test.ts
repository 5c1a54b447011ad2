import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parse } from 'yaml'
import { addresses } from '../scripts/docs/deployment.ts'
import { type Api, sqliteStore, startTestApi } from './support/api.ts'
import { root, runNameplane, startProgram } from './support/program.ts'

type Container = {
  readonly image?: string
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target?: string }
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, object>>
  readonly networks: readonly string[] | { readonly dns: { readonly ipv4_address: string } }
}
type Compose = { readonly services: Readonly<Record<string, Container>>; readonly volumes: object }

const deploy = join(root, 'deploy')
const read = (file: string): string => readFileSync(join(deploy, file), 'utf8')
const { services, volumes } = parse(read('compose.yaml')) as Compose
const folder = mkdtempSync(join(tmpdir(), 'nameplane-deployment-'))
let api: Api
before(async () => {
  api = await startTestApi(sqliteStore)
})
after(async () => {
  await api.close()
  rmSync(folder, { recursive: true })
})

test('[W92] the containers have the addresses that their configurations and pools.yaml name', () => {
  const fixed = Object.entries(services).flatMap(([name, { networks }]) =>
    'dns' in networks ? [[name, networks.dns.ipv4_address]] : [],
  )
  deepEqual(Object.fromEntries(fixed), addresses)
  const [{ targets }] = parse(read('pools.yaml')) as [{ targets: { options: { host: string; port: number } }[] }]
  deepEqual(
    targets.map(({ options }) => options),
    [addresses.bind, addresses.knot].map((host) => ({ host, port: 53 })),
  )
  equal(services.pools!.environment!.NAMEPLANE_URL, `http://${addresses.nameplane}:9001`)
})

test('[W92] whatever a container is made from, mounts, and waits for is there', () => {
  for (const [name, { image, build, volumes: mounted = [], depends_on = {} }] of Object.entries(services)) {
    if (build === undefined) match(image ?? '', /^[\w./-]+:[\w.-]+$/)
    else {
      const file = join(deploy, build.context, build.dockerfile)
      ok(existsSync(file), `${name}: ${file}`)
      if (build.target !== undefined) match(readFileSync(file, 'utf8'), new RegExp(`^FROM .* AS ${build.target}$`, 'm'))
    }
    for (const volume of mounted) {
      const [from] = volume.split(':')
      ok(from!.startsWith('./') ? existsSync(join(deploy, from!)) : Object.hasOwn(volumes, from!), `${name}: ${volume}`)
    }
    for (const other of Object.keys(depends_on)) ok(Object.hasOwn(services, other), `${name}: ${other}`)
  }
})

test('[W92] servers are started with the configuration that is mounted, keep their zones in a volume, and publish the port they listen at', () => {
  for (const [name, file, kept] of [
    ['bind', '/etc/bind/named.conf', '/var/cache/bind'],
    ['knot', '/etc/knot/knot.conf', '/var/lib/knot'],
  ] as const) {
    const stage = read('servers.Dockerfile')
      .split(/^FROM /m)
      .find((part) => part.includes(` AS ${name}\n`))!
    const mounted = services[name]!.volumes!.map((volume) => volume.split(':'))
    deepEqual(mounted.map(([, to]) => to).toSorted(), [file, kept].toSorted())
    match(stage, new RegExp(`^CMD .*"${file}"`, 'm'))
    match(stage, new RegExp(`^VOLUME ${kept}$`, 'm'))
    const config = read(mounted.find(([, to]) => to === file)![0]!)
    ok(config.includes(`"${kept}"`), name)
    match(config, name === 'bind' ? /listen-on port 53 / : /listen: \S+@53/)
    for (const port of services[name]!.ports!) match(port, /^127\.0\.0\.1:53\d\d:53\/(?:udp|tcp)$/)
    match(config, new RegExp(`${addresses.nameplane.replaceAll('.', '\\.')}(?: port |@)5354`))
  }
})

test('[W92] the image of Nameplane has all it needs, and knows every setting it is given', async () => {
  const text = read('Dockerfile')
  for (const [, from] of text.matchAll(/^COPY (.+) \S+$/gm)) {
    for (const path of from!.split(' ')) cpSync(join(root, path), join(folder, 'image', path), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'image', 'node_modules'))
  const built = Object.fromEntries(
    [...text.matchAll(/\b(NAMEPLANE_\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
  )
  const given = services.nameplane!.environment!
  const program = startProgram(process.execPath, [join(folder, 'image', 'bin', 'nameplane'), 'config'], {
    cwd: folder,
    env: {
      ...built,
      ...given,
      NAMEPLANE_DATABASE_URL: given.NAMEPLANE_DATABASE_URL!.replace(/\$\{\w+\}/, 'x'),
    },
  })
  equal(await program.ended, 0, program.stderr())
  for (const name of Object.keys({ ...built, ...given })) {
    match(program.stdout(), new RegExp(`^${name.slice('NAMEPLANE_'.length).toLowerCase()} .*${name}`, 'm'))
  }
  match(text, /^EXPOSE 9001 5354\/udp 5354\/tcp$/m)
  deepEqual(services.nameplane!.ports, ['127.0.0.1:9001:9001'])
  equal(services.nameplane!.volumes![0]!.split(':')[1], built.NAMEPLANE_DATA_DIR)
})

test('[W92] the command that tells the pool of its servers does so', async () => {
  const [first, ...rest] = services.pools!.command!
  const args = [first!, ...rest].map((word) => (word.endsWith('/pools.yaml') ? join(deploy, 'pools.yaml') : word))
  const env = { NAMEPLANE_URL: api.url }
  const { code, stdout, stderr } = await runNameplane(args, { env })
  equal(code, 0, stderr)
  match(stdout, /\+ target catalog.*172\.30\.53\.11(?:.|\n)*\+ target catalog.*172\.30\.53\.12/)
  match((await runNameplane(args, { env })).stdout, /Nothing to change/)
})
