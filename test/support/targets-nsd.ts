import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startDaemon } from './daemon.ts'
import type { MasterKey } from './masters.ts'
import { freePort } from './port.ts'
import type { DeliveryTarget } from './targets.ts'

export type NsdConfig = {
  /** Where it answers, as `127.0.0.1@53`. */
  readonly listen: string
  /** Where it listens for control. */
  readonly control: { readonly host: string; readonly port: number }
  /** The folder of the certificates that nsd-control-setup makes. */
  readonly certificates: string
  /** The folder of its zones. */
  readonly folder: string
  /** Where zones come from, as `127.0.0.1@5354`. */
  readonly primary: string
  readonly key?: MasterKey
  /** More lines of the server block. */
  readonly more?: string
}

/** The nsd.conf of an NSD that zones are delivered to; docs/operating.md shows it. */
export function nsdConfig({ listen, control, certificates, folder, primary, key, more = '' }: NsdConfig): string {
  const [address] = primary.split('@')
  return `server:
  ip-address: ${listen}
  zonesdir: "${folder}"
  zonelistfile: "${folder}/zone.list"
  xfrdfile: "${folder}/xfrd.state"
  database: ""
  # A change is served after milliseconds; with the default of 1, after more than a second.
  xfrd-reload-timeout: 0
  # Transfers share a few connections: more than a primary allows at once would be cut and retried after half a minute.
  xfrd-tcp-max: 8
${more}remote-control:
  control-enable: yes
  control-interface: ${control.host}
  control-port: ${control.port}
  server-key-file: "${certificates}/nsd_server.key"
  server-cert-file: "${certificates}/nsd_server.pem"
  control-key-file: "${certificates}/nsd_control.key"
  control-cert-file: "${certificates}/nsd_control.pem"
${key === undefined ? '' : `key:\n  name: "${key.name}"\n  algorithm: ${key.algorithm}\n  secret: "${key.secret}"\n`}pattern:
  name: "slave"
  zonefile: "%s.zone"
  request-xfr: ${primary} ${key?.name ?? 'NOKEY'}
  allow-notify: ${address} NOKEY
${key === undefined ? '' : `  allow-notify: ${address} ${key.name}\n`}  provide-xfr: ${address} NOKEY
`
}

/** What a test may want of it: a key for transfers, more lines at the end of nsd.conf, control by a socket of this machine. */
export type NsdMore = { readonly key?: MasterKey; readonly more?: string; readonly control?: string }

/** Starts an NSD that takes zones from a primary on loopback, and is told by its control channel which. */
export async function startNsdTarget(
  primary: number,
  { key, more = '', control = '127.0.0.1' }: NsdMore = {},
): Promise<DeliveryTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'nameplane-nsd-'))
  const [port, controlPort] = [await freePort(), await freePort()]
  await makeCertificates(folder)
  const config = nsdConfig({
    listen: `127.0.0.1@${port}`,
    control: { host: control, port: controlPort },
    certificates: folder,
    folder,
    primary: `127.0.0.1@${primary}`,
    ...(key === undefined ? {} : { key }),
    more: `  username: ""\n  chroot: ""\n  pidfile: ""\n  xfrdir: "${folder}"\n  server-count: 1\n  rrl-ratelimit: 0\n`,
  })
  await writeFile(join(folder, 'nsd.conf'), config + more)
  const place = control.startsWith('/') ? control : controlPort
  const launch = { name: 'nsd', args: ['-d', '-c', join(folder, 'nsd.conf')], port, folder, control: place }
  const daemon = await startDaemon(launch).catch(async (error) => {
    await rm(folder, { recursive: true, force: true })
    throw error
  })
  return {
    ...daemon,
    port,
    folder,
    options: {
      host: '127.0.0.1',
      port,
      control_host: control,
      control_port: controlPort,
      certfile: join(folder, 'nsd_control.pem'),
      keyfile: join(folder, 'nsd_control.key'),
      ca_certs: join(folder, 'nsd_server.pem'),
      pattern: 'slave',
    },
    async wipe() {
      await promisify(execFile)('find', [
        folder,
        '(',
        '-name',
        '*.zone',
        '-o',
        '-name',
        'zone.list',
        '-o',
        '-name',
        'xfrd.state',
        ')',
        '-delete',
      ])
    },
    async stop() {
      await daemon.halt()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Certificates as nsd-control-setup makes them, with keys that take less time: a server named nsd, and a client it has signed. */
export async function makeCertificates(folder: string): Promise<void> {
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args, { cwd: folder })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const named = (name: string) => ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  await openssl(
    'req',
    '-x509',
    ...newKey,
    '-days',
    '7',
    '-keyout',
    'nsd_server.key',
    '-out',
    'nsd_server.pem',
    ...named('nsd'),
  )
  await openssl('req', ...newKey, '-keyout', 'nsd_control.key', '-out', 'control.csr', ...named('nsd-control'))
  const signedBy = ['-CA', 'nsd_server.pem', '-CAkey', 'nsd_server.key', '-CAcreateserial', '-days', '7']
  await openssl('x509', '-req', '-in', 'control.csr', '-out', 'nsd_control.pem', ...signedBy)
}
