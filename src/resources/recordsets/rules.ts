import { isAtOrBelow, labelsOf, sameName } from '../../dns/name.ts'
import { typeCode, typeOf } from '../../dns/types/index.ts'
import { type Fault, fail } from '../../errors.ts'

/** Types that only the service itself or a signer makes. */
const neverByHand = new Set([
  'OPT',
  'TSIG',
  'TKEY',
  'IXFR',
  'AXFR',
  'ANY',
  'NXNAME',
  'SIG',
  'RRSIG',
  'NSEC',
  'NSEC3',
  'NSEC3PARAM',
])

/** What is wrong with a record type, if anything. With `enabled`, only those listed may be used. */
export function typeFaults(type: string, enabled: ReadonlySet<string> | undefined): Fault[] {
  const fault = (message: string): Fault[] => [
    { path: ['recordset', 'type'], message, validator: 'value', validator_value: [type] },
  ]
  const code = typeCode(type)
  if (code === undefined || type !== type.toUpperCase()) return fault(`'${type}' is not a valid record type`)
  if (typeOf(code) !== undefined && type.startsWith('TYPE')) {
    return fault(`'${type}' is not a valid record type: write it as ${typeOf(code)!.type}`)
  }
  if (neverByHand.has(type) || (enabled !== undefined && !enabled.has(type))) {
    return fault(`'${type}' is not a supported record type`)
  }
  return []
}

/** What is wrong with the owner name for its type, if anything. */
export function ownerFaults(name: string, type: string): Fault[] {
  const fault = (message: string): Fault[] => [
    { path: ['name'], message, validator: 'format', validator_value: [type] },
  ]
  const [first = '', second = ''] = labelsOf(name)
  if ((type === 'NS' || type === 'DNAME') && first === '*')
    return fault(`a wildcard cannot own ${type} records (RFC 4592 4)`)
  if (type === 'SRV' && !(first.startsWith('_') && second.startsWith('_'))) {
    return fault('must start with _service._protocol, such as _sip._tcp.example.org. (RFC 2782)')
  }
  return []
}

/** TLSA and CNAME have refusals of their own kind, which clients know by it. */
export function mustBeWellFormed(name: string, type: string, records: number): void {
  if (type === 'CNAME' && records > 1) fail('bad_request', 'a CNAME has exactly one record')
  if (type === 'DNAME' && records > 1) fail('bad_request', 'a DNAME has exactly one record')
  if (type === 'TLSA') {
    const port = /^_(\d{1,5})\._[a-z]+\./i.exec(name)
    if (port === null || Number(port[1]) > 65_535) {
      fail(
        'bad_request',
        'the name of a TLSA record must start with _port._protocol, such as _443._tcp.www.example.org.',
      )
    }
  }
}

/** What stands around a place in a zone; the caller has read it. */
export type Surroundings = {
  readonly zone: string
  /** The types of the other sets at the name. */
  readonly atName: readonly string[]
  /** Sets above the name that end what the zone itself answers. */
  readonly cuts: readonly { readonly name: string; readonly type: string }[]
  /** A zone of its own, hosted here, at the name or above it. */
  readonly childZone: string | undefined
  /** A set below the name that would no longer be answered, were there a cut here. */
  readonly below: { readonly name: string; readonly type: string } | undefined
}

const glue = new Set(['A', 'AAAA'])
const atCut = new Set(['NS', 'DS', 'A', 'AAAA'])

/** Why records cannot be put at a place, or undefined when they can. Pure: the caller has read what is around it. */
export function placementFault(name: string, type: string, around: Surroundings): string | undefined {
  const { zone, atName, cuts, childZone, below } = around
  if (!isAtOrBelow(name, zone)) return `${name} must be ${zone} or end in .${zone}`
  const isApex = sameName(name, zone)
  if (type === 'CNAME' && isApex) return 'a CNAME cannot stand at the top of a zone: the SOA and NS are there'
  if (type === 'DS' && isApex) return 'a DS stands in the parent zone'
  if (type === 'CNAME' && atName.length > 0) {
    return `a CNAME stands alone at its name (RFC 1034 3.6.2); there is ${atName.join(', ')}`
  }
  if (type !== 'CNAME' && atName.includes('CNAME'))
    return 'a CNAME stands alone at its name (RFC 1034 3.6.2); there is one'
  const dname = cuts.find((cut) => cut.type === 'DNAME')
  if (dname !== undefined) return `nothing can stand below the DNAME at ${dname.name} (RFC 6672 2.4)`
  const cut = cuts.find((one) => one.type === 'NS')
  if (cut !== undefined && !glue.has(type)) {
    return `${cut.name} is delegated by its NS records; below it only A and AAAA (glue) are answered`
  }
  if (childZone !== undefined && !belongsAboveChild(name, type, childZone, cut)) {
    return `${name} belongs in the zone ${childZone}, which is hosted here`
  }
  const delegated = !isApex && atName.includes('NS')
  if (delegated && !atCut.has(type))
    return `${name} is delegated by its NS records; only DS and glue can stand beside them`
  if (type === 'NS' && !isApex) {
    const hidden = atName.find((other) => !atCut.has(other))
    if (hidden !== undefined) return `delegating ${name} would hide its ${hidden} records; remove them first`
  }
  if (below !== undefined) return `${type} at ${name} would hide ${below.name} ${below.type}; remove that first`
  return undefined
}

/** A parent zone holds its child's delegation: NS and DS at the child's name, and glue below it. */
function belongsAboveChild(name: string, type: string, child: string, cut: object | undefined): boolean {
  if (sameName(name, child)) return type === 'NS' || type === 'DS'
  return cut !== undefined && glue.has(type)
}
