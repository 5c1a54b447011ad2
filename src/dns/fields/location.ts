import { TextError, WireError } from '../errors.ts'
import { show, type Tokens } from '../text.ts'
import type { Field } from './field.ts'

/** A place on Earth: thousandths of arc seconds north and east, centimetres above the WGS 84 spheroid and of precision. */
export type Location = {
  readonly latitude: number
  readonly longitude: number
  readonly altitude: number
  readonly size: number
  readonly horizontalPrecision: number
  readonly verticalPrecision: number
}

const EQUATOR = 2 ** 31
const LOWEST = -10_000_000
const HIGHEST = 0xffffffff + LOWEST
const DEGREE = 3_600_000

/** A location as in RFC 1876 3: `52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000.00m 10.00m`, from the altitude on as far as needed. */
export const location: Field<Location> = {
  shape: { kind: 'location' },
  parse(tokens) {
    return {
      latitude: parseAngle(tokens, 'latitude', 90, 'NS'),
      longitude: parseAngle(tokens, 'longitude', 180, 'EW'),
      altitude: parseMetres(tokens, 'altitude', LOWEST, HIGHEST),
      size: tokens.atEnd ? 100 : parsePrecision(tokens, 'size'),
      horizontalPrecision: tokens.atEnd ? 1_000_000 : parsePrecision(tokens, 'horizontal precision'),
      verticalPrecision: tokens.atEnd ? 1_000 : parsePrecision(tokens, 'vertical precision'),
    }
  },
  print(place) {
    const metres = [place.altitude, place.size, place.horizontalPrecision, place.verticalPrecision].map(
      (centimetres) => `${(centimetres / 100).toFixed(2)}m`,
    )
    return [printAngle(place.latitude, 'NS'), printAngle(place.longitude, 'EW'), ...metres].join(' ')
  },
  read(reader) {
    const version = reader.u8()
    if (version !== 0) throw new WireError(`LOC version must be 0, not ${version}`)
    const [size, horizontalPrecision, verticalPrecision] = [
      fromPower(reader.u8()),
      fromPower(reader.u8()),
      fromPower(reader.u8()),
    ]
    const latitude = reader.u32() - EQUATOR
    const longitude = reader.u32() - EQUATOR
    return { latitude, longitude, altitude: reader.u32() + LOWEST, size, horizontalPrecision, verticalPrecision }
  },
  write(writer, place) {
    writer.u8(0)
    writer.u8(toPower(place.size))
    writer.u8(toPower(place.horizontalPrecision))
    writer.u8(toPower(place.verticalPrecision))
    writer.u32(place.latitude + EQUATOR)
    writer.u32(place.longitude + EQUATOR)
    writer.u32(place.altitude - LOWEST)
  },
}

function parseAngle(tokens: Tokens, label: string, most: number, directions: string): number {
  const given: string[] = []
  for (;;) {
    const token = tokens.next(label)
    const direction = directions.indexOf(token.toUpperCase())
    if (token.length === 1 && direction >= 0) {
      const angle = angleOf(given)
      if (angle < 0 || angle > most * DEGREE) throw angleFault(label, most, directions, [...given, token])
      return direction === 0 ? angle : 0 - angle
    }
    given.push(token)
    if (given.length > 3) throw angleFault(label, most, directions, given)
  }
}

function angleOf([degrees, minutes = '0', seconds = '0']: readonly string[]): number {
  if (!/^\d{1,3}$/.test(degrees ?? '') || !/^\d{1,2}$/.test(minutes) || !/^\d{1,2}(?:\.\d{0,3})?$/.test(seconds))
    return -1
  if (Number(minutes) > 59 || Number(seconds) >= 60) return -1
  return Number(degrees) * DEGREE + Number(minutes) * 60_000 + Math.round(Number(seconds) * 1000)
}

function angleFault(label: string, most: number, [plus, minus]: string, given: readonly string[]): TextError {
  const form = `degrees 0..${most}, minutes 0..59 and seconds 0..59.999, then ${plus} or ${minus}`
  return new TextError(`${label} must be ${form}, not ${show(given.join(' '))}`)
}

function printAngle(angle: number, [plus, minus]: string): string {
  const rest = Math.abs(angle)
  const [degrees, minutes] = [Math.floor(rest / DEGREE), Math.floor(rest / 60_000) % 60]
  return `${degrees} ${minutes} ${((rest % 60_000) / 1000).toFixed(3)} ${angle < 0 ? minus : plus}`
}

function parsePrecision(tokens: Tokens, label: string): number {
  return fromPower(toPower(parseMetres(tokens, label, 0, 9e9)))
}

function parseMetres(tokens: Tokens, label: string, least: number, most: number): number {
  const text = tokens.next(label)
  const centimetres = /^-?\d{1,8}(?:\.\d{0,2})?m?$/i.test(text) ? Math.round(Number.parseFloat(text) * 100) : Number.NaN
  if (!(centimetres >= least && centimetres <= most)) {
    throw new TextError(`${label} must be ${least / 100}..${most / 100} metres in hundredths, not ${show(text)}`)
  }
  return centimetres + 0
}

// RFC 1876 2: a digit in the upper four bits, times ten to the power of the lower four; further digits are cut off.
function toPower(centimetres: number): number {
  let exponent = 0
  while (centimetres >= 10) {
    centimetres = Math.floor(centimetres / 10)
    exponent++
  }
  return (centimetres << 4) | exponent
}

function fromPower(octet: number): number {
  const [digit, exponent] = [octet >> 4, octet & 15]
  if (digit > 9 || exponent > 9) throw new WireError(`a LOC size must be two digits, not ${octet.toString(16)}`)
  return digit * 10 ** exponent
}
