import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NameServer, start } from '../../test/support/nameservers.ts'
import { freePort } from '../../test/support/port.ts'
import { pinned } from '../support/processes.ts'
import { type BenchZone, textOf } from './zone.ts'

export type Peer = 'NSD' | 'Knot' | 'BIND' | 'PowerDNS'

type Place = { readonly folder: string; readonly port: number; readonly origin: string }

/** How each server is told to serve the zone in `zone`: with one thread for queries, transfers and changes to loopback. */
const peers: Readonly<
  Record<
    Peer,
    {
      readonly command: (file: string, folder: string) => string[]
      readonly config: (place: Place) => string
      readonly file?: string
    }
  >
> = {
  NSD: {
    command: (file) => ['nsd', '-d', '-c', file],
    config: ({ folder, port, origin }) => `
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
  rrl-whitelist-ratelimit: 0
remote-control:
  control-enable: no
zone:
  name: "${origin}"
  zonefile: zone
  provide-xfr: 127.0.0.1 NOKEY
  store-ixfr: yes
  create-ixfr: yes
`,
  },
  Knot: {
    command: (file) => ['knotd', '-c', file],
    config: ({ folder, port, origin }) => `
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
    any: warning
acl:
  - id: loopback
    address: 127.0.0.1
    action: [transfer, update]
zone:
  - domain: "${origin}"
    storage: "${folder}"
    file: zone
    zonefile-sync: -1
    zonefile-load: whole
    journal-content: changes
    acl: loopback
`,
  },
  BIND: {
    command: (file) => ['named', '-g', '-n', '1', '-c', file],
    config: ({ folder, port, origin }) => `
      options {
        directory "${folder}"; pid-file none; session-keyfile none;
        listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
        recursion no; notify no; empty-zones-enable no; dnssec-validation no;
        minimal-responses yes; querylog no; allow-transfer { 127.0.0.1; };
      };
      logging { category default { null; }; };
      controls { };
      zone "${origin}" { type primary; file "zone"; check-names ignore; allow-update { 127.0.0.1; }; };`,
  },
  PowerDNS: {
    command: (_, folder) => ['pdns_server', `--config-dir=${folder}`],
    file: 'pdns.conf',
    config: ({ folder, port, origin }) => `
launch=bind
bind-config=${folder}/zones.conf
local-address=127.0.0.1
local-port=${port}
socket-dir=${folder}
daemon=no
guardian=no
receiver-threads=1
distributor-threads=1
loglevel=3
# zone "${origin}"
`,
  },
}

/** Starts a server on core 0, with nothing but a zone in it. */
export async function startPeer(peer: Peer, zone: BenchZone, patience: number): Promise<NameServer> {
  const folder = await mkdtemp(join(tmpdir(), 'nameplane-bench-'))
  const port = await freePort()
  const { command, config, file: fileName = 'config' } = peers[peer]
  const file = join(folder, fileName)
  await writeFile(join(folder, 'zone'), textOf(zone))
  await writeFile(file, config({ folder, port, origin: zone.origin }))
  if (peer === 'PowerDNS') {
    await writeFile(
      join(folder, 'zones.conf'),
      `zone "${zone.origin.slice(0, -1)}" { type master; file "${folder}/zone"; };\n`,
    )
  }
  const [name, ...args] = [...(pinned ? ['taskset', '-c', '0'] : []), ...command(file, folder)]
  return start({ name: name!, args, port, folder, question: zone.origin, patience })
}
