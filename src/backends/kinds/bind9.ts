import { DnsError } from '../../dns/errors.ts'
import type { Driver, Kind, MayAct, Refusal, Target, TargetZone } from '../kind.ts'
import { masterAddresses } from '../master-addresses.ts'
import { checkNamed } from '../rndc/check.ts'
import { RndcConnection } from '../rndc/connection.ts'
import { loadKey } from '../rndc/key-file.ts'
import { NamedZones } from '../rndc/named-zones.ts'
import { primariesText } from '../rndc/zone-statement.ts'

/** BIND, told of zones over its control channel. */
export const bind9: Kind = { batch: 100, open: openBind9 }

function openBind9(target: Target, mayAct?: MayAct): Driver {
  const { options } = target
  const text = (name: string) => (options[name] === undefined ? undefined : String(options[name]))
  const host = text('rndc_host') ?? '127.0.0.1'
  const view = text('view')
  const connection = new RndcConnection({
    host,
    port: Number(options.rndc_port ?? 953),
    timeout: Number(options.rndc_timeout ?? 10) * 1000,
    key: () =>
      loadKey({
        secret: text('rndc_key_secret'),
        name: text('rndc_key_name') ?? 'rndc-key',
        algorithm: text('rndc_key_algorithm') ?? 'hmac-sha256',
        file: text('rndc_config_file') ?? text('rndc_key_file'),
        host,
      }),
    now: Date.now,
    mayAct,
  })
  const zones = new NamedZones({ connection, view, clean: options.clean_zonefile === true })

  return {
    async addZones(wanted, signal) {
      const primaries = primariesText(await masterAddresses(target.masters), target.key?.name)
      return inTurn(wanted, (zone) => zones.add(zone, primaries, signal))
    },
    dropZones: (unwanted, signal) => inTurn(unwanted, (zone) => zones.drop(zone, signal)),
    check: (signal) => checkNamed({ connection, target, view, signal }),
    close: () => connection.close(),
  }
}

async function inTurn(
  zones: readonly TargetZone[],
  act: (zone: TargetZone) => Promise<string | undefined>,
): Promise<Refusal[]> {
  const refusals: Refusal[] = []
  for (const zone of zones) {
    const reason = await act(zone).catch(faultOfName)
    if (reason !== undefined) refusals.push({ id: zone.id, reason })
  }
  return refusals
}

function faultOfName(error: unknown): string {
  if (error instanceof DnsError) return error.message
  throw error
}
