import { WireError } from '../errors.ts'
import type { Reader } from '../wire.ts'

/** Goes over octets without looking at them. */
export function skip(reader: Reader, octets: number): void {
  if (octets > reader.remaining) throw new WireError(`${octets} octets are missing at offset ${reader.offset}`)
  reader.offset += octets
}
