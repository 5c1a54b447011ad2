import { printAddress } from '../dns/address.ts'
import { RCODE } from '../dns/codes.ts'
import { networks } from '../networks.ts'
import { SOA } from '../zonedata/type-codes.ts'
import type { TransferZone } from './acl.ts'
import type { Request } from './server-state.ts'

/** A zone that another server may announce changes of. */
export type NotifiedZone = TransferZone & { readonly type: string; readonly masters: string }

export type NotifyOptions = {
  readonly find: (name: string) => Promise<NotifiedZone | undefined>
  readonly isKeyOf: (zone: TransferZone, keyName: string) => boolean
  /** Told of a zone whose masters are to be asked. */
  readonly onNotified: (zoneId: string) => void
}

const mostAtOnce = 100

/** Decides what is said to a NOTIFY (RFC 1996); what it announces is looked into later. */
export function notifyReceiver({ find, isKeyOf, onNotified }: NotifyOptions) {
  let underWay = 0
  const decide = async ({ message, client, signed }: Request): Promise<number> => {
    const { name, type } = message.question[0]!
    const zone = await find(name)
    if (zone === undefined || zone.type !== 'SECONDARY') return RCODE.NOTAUTH // [S95]
    if (signed !== undefined && !isKeyOf(zone, signed.key.name)) return RCODE.REFUSED
    if (!networks(mastersOf(zone)).has(printAddress(client.address))) return RCODE.REFUSED // [S96]
    if (type === SOA) onNotified(zone.id)
    return RCODE.NOERROR
  }
  /** The rcode to answer with; undefined, and silence, where too many come at once: they come again. */
  return (request: Request): Promise<number> | undefined => {
    if (underWay === mostAtOnce) return undefined
    underWay++
    return decide(request).finally(() => underWay--)
  }
}

const withPort = /^(?:\[(.+)\]|([\d.]+)):\d+$/

/** The addresses of a zone's masters, which may be stored with a port. */
function mastersOf({ masters }: NotifiedZone): string[] {
  return (JSON.parse(masters) as string[]).map((master) => {
    const match = withPort.exec(master)
    return match?.[1] ?? match?.[2] ?? master
  })
}
