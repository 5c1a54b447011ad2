import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Finding, HostPort } from './kind.ts'
import { findingOf, Mendable } from './mendable.ts'

/** Masters by address: servers are told where to take zones from in numbers, so names are looked up here. */
export async function masterAddresses(masters: readonly HostPort[]): Promise<HostPort[]> {
  const found = await Promise.all(
    masters.map(async ({ host, port }) =>
      isIP(host) > 0 ? [{ host, port }] : (await addressesOf(host)).map((address) => ({ host: address, port })),
    ),
  )
  return found.flat()
}

/** What is wrong with masters, for a check. */
export async function masterFindings(masters: readonly HostPort[]): Promise<Finding[]> {
  try {
    await masterAddresses(masters)
    return []
  } catch (error) {
    return [findingOf(error)]
  }
}

async function addressesOf(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address).toSorted()
  } catch (cause) {
    throw new Mendable(
      `the master ${host} has no address: ${(cause as Error).message}`,
      'Give masters of the target by IP address, or by a name that this machine can look up.',
      { cause },
    )
  }
}
