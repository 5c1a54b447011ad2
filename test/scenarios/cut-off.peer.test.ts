import { equal, match, ok } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { decodeMessage } from '../../src/dns/message.ts'
import { soaNumber } from '../../src/zonedata/zone.ts'
import { askUdp } from '../support/dns-transports.ts'
import { query } from '../support/nameserver.ts'
import { freePort } from '../support/port.ts'
import { type Program, startProgram } from '../support/program.ts'
import { bindConfig, controlKey } from '../support/targets-bind9.ts'
import { startWorld, within } from './world.ts'

// Addresses for benchmarks (RFC 2544), a link of its own for each process that runs this.
const number = process.pid % 16_384
const [here, there] = [1, 2].map((last) => `198.18.${number >> 6}.${((number & 63) << 2) + last}`) as [string, string]
const [space, link, peer] = [`np-${process.pid}`, `np${process.pid}a`, `np${process.pid}b`]
const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })

/** Makes a network of its own for a server, with a link to it; tells why that cannot be. */
function makeNetwork(): string | undefined {
  try {
    ip('netns', 'add', space)
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', peer, 'netns', space)
    ip('addr', 'add', `${here}/30`, 'dev', link)
    ip('link', 'set', link, 'up')
    ip('-n', space, 'addr', 'add', `${there}/30`, 'dev', peer)
    ip('-n', space, 'link', 'set', peer, 'up')
    ip('-n', space, 'link', 'set', 'lo', 'up')
    return undefined
  } catch (error) {
    removeNetwork()
    return `network namespaces need root and ip of iproute2: ${(error as Error).message.split('\n').at(-2)}`
  }
}

function removeNetwork(): void {
  for (const args of [
    ['link', 'del', link],
    ['netns', 'del', space],
  ]) {
    try {
      ip(...args)
    } catch {
      // It was not made.
    }
  }
}

const reason = makeNetwork()
process.once('exit', removeNetwork)

test('[W76] [W78] a server that is cut off, its packets vanishing, catches up when they come again', {
  skip: reason ?? false,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'nameplane-cut-off-'))
  const [dnsPort, port, rndcPort] = [await freePort(), 53, 953]
  const world = await startWorld({}, ['--dns-listen', `${here}:${dnsPort}`])
  let named: Program | undefined
  try {
    const config = bindConfig({
      listen: { host: there, port },
      control: { host: there, port: rndcPort },
      controlKey,
      allow: here,
      folder,
      more: '  pid-file none;\n  session-keyfile none;\n  empty-zones-enable no;\n  dnssec-validation no;\n',
    })
    await writeFile(join(folder, 'named.conf'), config)
    named = startProgram('ip', ['netns', 'exec', space, 'named', '-g', '-n', '1', '-c', join(folder, 'named.conf')])
    const serial = async (name: string) => {
      const reply = await askUdp({ host: there, port }, query(name, 'SOA'), 500).catch(() => undefined)
      const soa = reply && decodeMessage(reply).answer[0]
      return soa && soaNumber(soa.rdata, 0)
    }
    const options = {
      host: there,
      port,
      rndc_host: there,
      rndc_port: rndcPort,
      rndc_key_name: controlKey.name,
      rndc_key_secret: controlKey.secret,
      rndc_timeout: 2,
    }
    const masters = [{ host: here, port: dnsPort }]
    await world.call('POST', `/v2/pools/${world.pool}/targets`, { type: 'bind9', options, masters })
    const [changed, deleted] = [await world.newZone('changed.example.org.'), await world.newZone('gone.example.org.')]
    for (const zone of [changed, deleted]) await world.becomes(zone)

    ip('-n', space, 'route', 'add', 'blackhole', `${here}/32`)
    const made = await world.newZone('made.example.org.')
    await world.newSet(changed, `www.${changed.name}`, ['192.0.2.1'])
    await world.call('DELETE', `/v2/zones/${deleted.id}`)
    const { servers } = await world.serversBecome(world.pool, ({ servers: [only] }) => only?.status === 'DOWN')
    match(servers[0]!.error!, /it does not answer|gave no answer/)
    equal((await world.zone(made.id)).status, 'PENDING')

    ip('-n', space, 'route', 'del', 'blackhole', `${here}/32`)
    const began = performance.now()
    for (const zone of [made, changed]) {
      const shown = await world.becomes(zone)
      equal(await serial(zone.name), shown.serial)
    }
    await world.leaves(deleted)
    ok(await within(async () => (await serial(deleted.name)) === undefined))
    t.diagnostic(`caught up after ${Math.round(performance.now() - began)} ms`)
  } finally {
    named?.child.kill('SIGTERM')
    await named?.ended
    await world.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
