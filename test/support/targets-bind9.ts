import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDaemon } from './daemon.ts'
import type { MasterKey } from './masters.ts'
import { freePort } from './port.ts'
import type { DeliveryTarget } from './targets.ts'

export type BindConfig = {
  /** Where it answers DNS. */
  readonly listen: { readonly host: string; readonly port: number }
  /** Where it listens for control. */
  readonly control: { readonly host: string; readonly port: number }
  /** The key of the control channel. */
  readonly controlKey: MasterKey
  /** The machine that Nameplane runs on. */
  readonly allow: string
  /** The folder that it may write to. */
  readonly folder: string
  /** The key of transfers. */
  readonly key?: MasterKey
  /** More lines of the options block. */
  readonly more?: string
}

/** The named.conf of a BIND that zones are delivered to over rndc; docs/operating.md shows it. */
export function bindConfig({ listen, control, controlKey, allow, folder, key, more = '' }: BindConfig): string {
  return `${keyStatement(controlKey)}
controls {
  inet ${control.host} port ${control.port} allow { ${allow}; } keys { "${controlKey.name}"; };
};
options {
  directory "${folder}";
  listen-on port ${listen.port} { ${listen.host}; };
  listen-on-v6 { none; };
  recursion no;
  allow-new-zones yes;
  # Zones come from Nameplane, and changes are told by it: nobody else needs to hear of them.
  notify no;
  # With the presets (20, 10 and 2), a thousand new zones take half a minute.
  serial-query-rate 2000;
  transfers-in 200;
  transfers-per-ns 200;
${more}};
${key === undefined ? '' : `${keyStatement(key)}\n`}`
}

const keyStatement = ({ name, algorithm, secret }: MasterKey): string =>
  `key "${name}" {\n  algorithm ${algorithm};\n  secret "${secret}";\n};`

/** What a test may want of it: a key for transfers, other control keys, other text than the config has, or more at its end. */
export type BindMore = {
  readonly key?: MasterKey
  readonly controlKey?: MasterKey
  readonly change?: (config: string) => string
}

export const controlKey: MasterKey = {
  name: 'nameplane-control',
  algorithm: 'hmac-sha256',
  secret: Buffer.from('the control channel of a test ..').toString('base64'),
}

/** Starts a BIND that is told over rndc which zones to take. */
export async function startBindTarget({
  key,
  controlKey: control = controlKey,
  change = (config) => config,
}: BindMore = {}): Promise<DeliveryTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'nameplane-bind9-'))
  const [port, rndcPort] = [await freePort(), await freePort()]
  const config = bindConfig({
    listen: { host: '127.0.0.1', port },
    control: { host: '127.0.0.1', port: rndcPort },
    controlKey: control,
    allow: '127.0.0.1',
    folder,
    ...(key === undefined ? {} : { key }),
    more: '  pid-file none;\n  session-keyfile none;\n  empty-zones-enable no;\n  dnssec-validation no;\n',
  })
  await writeFile(join(folder, 'named.conf'), change(config))
  const launch = {
    name: 'named',
    args: ['-g', '-n', '1', '-c', join(folder, 'named.conf')],
    port,
    folder,
    control: rndcPort,
  }
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
      rndc_host: '127.0.0.1',
      rndc_port: rndcPort,
      rndc_key_name: control.name,
      rndc_key_algorithm: control.algorithm,
      rndc_key_secret: control.secret,
    },
    async wipe() {
      const files = (await readdir(folder)).filter((file) => file !== 'named.conf')
      for (const file of files) await rm(join(folder, file), { recursive: true, force: true })
    },
    async stop() {
      await daemon.halt()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
