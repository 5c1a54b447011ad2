import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NameServer, start } from './nameservers.ts'
import { freePort } from './port.ts'

/** A zone that a secondary takes from a primary on loopback. */
export type SecondaryZone = {
  readonly origin: string
  readonly key?: { readonly name: string; readonly algorithm: string; readonly secret: string }
}

type Config = {
  readonly port: number
  readonly folder: string
  readonly primary: number
  readonly zones: readonly SecondaryZone[]
}

/** How each server is told to be secondary; all take NOTIFY from loopback and give AXFR to it. */
const programs = {
  named: {
    args: (file: string) => ['-g', '-n', '1', '-c', file],
    config: ({ port, folder, primary, zones }: Config) => `
      options {
        directory "${folder}"; pid-file none; session-keyfile none;
        listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
        recursion no; notify no; allow-transfer { any; }; empty-zones-enable no; dnssec-validation no;
        transfer-source 127.0.0.1; min-refresh-time 1;
      };
      controls { };
      ${keysOf(zones)
        .map(({ name, algorithm, secret }) => `key "${name}" { algorithm ${algorithm}; secret "${secret}"; };`)
        .join('\n')}
      ${zones
        .map(
          ({ origin, key }) => `zone "${origin}" {
            type secondary; file "${origin}zone"; allow-notify { 127.0.0.1; };
            primaries { 127.0.0.1 port ${primary}${key ? ` key "${key.name}"` : ''}; };
          };`,
        )
        .join('\n')}`,
  },
  nsd: {
    args: (file: string) => ['-d', '-c', file],
    config: ({ port, folder, primary, zones }: Config) => `
server:
  ip-address: 127.0.0.1@${port}
  username: ""
  chroot: ""
  zonesdir: "${folder}"
  database: ""
  pidfile: ""
  xfrdir: "${folder}"
  xfrdfile: "${folder}/xfrd.state"
  zonelistfile: "${folder}/zone.list"
  server-count: 1
  rrl-ratelimit: 0
  xfrd-reload-timeout: 0
remote-control:
  control-enable: no
${keysOf(zones)
  .map(({ name, algorithm, secret }) => `key:\n  name: "${name}"\n  algorithm: ${algorithm}\n  secret: "${secret}"`)
  .join('\n')}
${zones
  .map(
    ({ origin, key }) => `zone:
  name: "${origin}"
  zonefile: ""
  request-xfr: 127.0.0.1@${primary} ${key?.name ?? 'NOKEY'}
  allow-notify: 127.0.0.1 NOKEY
  provide-xfr: 127.0.0.1 NOKEY
  max-retry-time: 1`,
  )
  .join('\n')}
`,
  },
  knotd: {
    args: (file: string) => ['-c', file],
    config: ({ port, folder, primary, zones }: Config) => `
server:
    listen: 127.0.0.1@${port}
    rundir: "${folder}"
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
database:
    storage: "${folder}"
log:
  - target: stderr
    any: info
key:
${keysOf(zones)
  .map(({ name, algorithm, secret }) => `  - id: ${name}\n    algorithm: ${algorithm}\n    secret: ${secret}`)
  .join('\n')}
remote:
${zones
  .map(
    ({ origin, key }) =>
      `  - id: "${origin}"\n    address: 127.0.0.1@${primary}${key === undefined ? '' : `\n    key: ${key.name}`}`,
  )
  .join('\n')}
acl:
  - id: loopback
    address: 127.0.0.1
    action: [notify, transfer]
zone:
${zones
  .map(
    ({ origin }) =>
      `  - domain: "${origin}"\n    storage: "${folder}"\n    zonefile-sync: -1\n    journal-content: all\n    zonefile-load: none\n    master: "${origin}"\n    acl: loopback\n    retry-max-interval: 1`,
  )
  .join('\n')}
`,
  },
} as const

export type SecondaryProgram = keyof typeof programs
export const secondaryPrograms = Object.keys(programs) as SecondaryProgram[]

/** Starts a server as secondary of the zones of a primary; resolves once it has taken the first of them. */
export async function startSecondary(
  name: SecondaryProgram,
  primary: number,
  zones: readonly SecondaryZone[],
): Promise<NameServer> {
  const folder = await mkdtemp(join(tmpdir(), `nameplane-${name}-`))
  const port = await freePort()
  const file = join(folder, 'config')
  await writeFile(file, programs[name].config({ port, folder, primary, zones }))
  return start({ name, args: programs[name].args(file), port, folder, question: zones[0]!.origin })
}

const keysOf = (zones: readonly SecondaryZone[]) => zones.flatMap(({ key }) => (key === undefined ? [] : [key]))
