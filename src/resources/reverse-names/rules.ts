import { labelsOf, parentName } from '../../dns/name.ts'
import { reverseName } from '../../dns/reverse.ts'
import { fail } from '../../errors.ts'
import { toUuid } from '../../ids.ts'
import { namesAbove } from '../zones/rules.ts'

/** What names one address among those of a project. */
export type Key = { readonly region: string; readonly id: string }

/** The parts of `region:id`; refuses what is not made like that. */
export function parseKey(text: string): Key {
  const match = /^([A-Za-z0-9._-]{1,100}):(.{1,60})$/s.exec(text)
  const id = toUuid(match?.[2] ?? '')
  if (id === undefined) {
    fail('bad_request', `Floating IP ${text.slice(0, 200)} is not in the format of <region>:<uuid>`)
  }
  return { region: match![1]!, id }
}

/** Where the PTR record of an address could stand: its name, and the zone that holds it. */
export type Place = { readonly zone: string; readonly name: string }

/** The places for the PTR record of an address, those in the nearest zones first. */
export function placesOf(address: string): readonly Place[] {
  const name = reverseName(address)
  const [own, ...above] = [name, ...namesAbove(name, 'arpa.')].map((zone) => ({ zone, name }))
  return [own!, ...(address.includes(':') ? [] : classlessPlaces(name)), ...above]
}

/**
 * The zones for parts of a /24 (RFC 2317), the smallest part first. They are named by their first address with the
 * length of the prefix or with their last address: 0/25, 0-25 and 0-127 are the same part.
 */
function classlessPlaces(name: string): Place[] {
  const [first, block] = [labelsOf(name)[0]!, parentName(name)!]
  const places: Place[] = []
  for (let length = 32; length > 24; length -= 1) {
    const size = 2 ** (32 - length)
    const start = Number(first) - (Number(first) % size)
    for (const label of [`${start}/${length}`, `${start}-${length}`, `${start}-${start + size - 1}`]) {
      const zone = `${label}.${block}`
      places.push({ zone, name: `${first}.${zone}` })
    }
  }
  return places
}

/** How long the prefixes of zones are that are made on demand. */
export type Prefixes = { readonly ipv4: number; readonly ipv6: number }

/** The zone that is made for the name of an address where there is none. */
export function zoneToMake(address: string, { ipv4, ipv6 }: Prefixes): string {
  const dropped = address.includes(':') ? (128 - ipv6) / 4 : (32 - ipv4) / 8
  return `${labelsOf(reverseName(address)).slice(dropped).join('.')}.`
}
