import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type NameServer, start } from './nameservers.ts'
import { freePort } from './port.ts'

/** A key that a master wants transfers to be signed with. */
export type MasterKey = { readonly name: string; readonly algorithm: string; readonly secret: string }

/** A zone that a master has, and the port on loopback that it announces changes to. */
export type MasterZone = {
  readonly origin: string
  readonly text: string
  readonly notify: number
  readonly key?: MasterKey
}

type Config = { readonly port: number; readonly folder: string; readonly zone: MasterZone }

const programs = {
  named: {
    args: (file: string) => ['-g', '-n', '1', '-c', file],
    config: ({ port, folder, zone: { origin, notify, key } }: Config) => `
      options {
        directory "${folder}"; pid-file none; session-keyfile none;
        listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
        recursion no; empty-zones-enable no; dnssec-validation no; check-integrity no;
        notify explicit; also-notify { 127.0.0.1 port ${notify}; }; notify-delay 0; serial-query-rate 100; startup-notify-rate 100;
      };
      controls { };
      ${key ? `key "${key.name}" { algorithm ${key.algorithm}; secret "${key.secret}"; };` : ''}
      zone "${origin}" {
        type primary; file "master.zone"; check-names ignore; allow-update { 127.0.0.1; };
        allow-transfer { ${key ? `key "${key.name}"` : 'any'}; };
      };`,
  },
  knotd: {
    args: (file: string) => ['-c', file],
    config: ({ port, folder, zone: { origin, notify, key } }: Config) => `
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
${key ? `key:\n  - id: ${key.name}\n    algorithm: ${key.algorithm}\n    secret: ${key.secret}` : ''}
remote:
  - id: secondary
    address: 127.0.0.1@${notify}
acl:
  - id: transfer
    address: 127.0.0.1
    action: transfer
${key ? `    key: ${key.name}` : ''}
  - id: update
    address: 127.0.0.1
    action: update
zone:
  - domain: "${origin}"
    storage: "${folder}"
    file: "${folder}/master.zone"
    zonefile-sync: -1
    zonefile-load: whole
    notify: secondary
    acl: [transfer, update]
`,
  },
} as const

export type MasterProgram = keyof typeof programs
export const masterPrograms = Object.keys(programs) as MasterProgram[]

/** Starts a server that has a zone for others to take, on a port of its own unless one is given. */
export async function startMaster(name: MasterProgram, zone: MasterZone, at?: number): Promise<NameServer> {
  const folder = await mkdtemp(join(tmpdir(), `nameplane-${name}-`))
  const port = at ?? (await freePort())
  const file = join(folder, 'config')
  await writeFile(join(folder, 'master.zone'), zone.text)
  await writeFile(file, programs[name].config({ port, folder, zone }))
  return start({ name, args: programs[name].args(file), port, folder, question: zone.origin })
}

/** Changes a zone at its master by a dynamic update. */
export async function update(
  master: Pick<NameServer, 'port' | 'folder'>,
  origin: string,
  lines: readonly string[],
): Promise<void> {
  const file = join(master.folder, 'update')
  await writeFile(file, [`server 127.0.0.1 ${master.port}`, `zone ${origin}`, ...lines, 'send', ''].join('\n'))
  await promisify(execFile)('nsupdate', ['-t', '5', file])
}
