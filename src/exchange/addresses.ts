import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'

const underWay = new Map<string, Promise<readonly LookupAddress[]>>()

/** The addresses of a host, looked up for so many milliseconds at most; fails with EAI_AGAIN after that, as where no server of names answers. */
export async function addressesOf(host: string, wait: number): Promise<readonly string[]> {
  if (isIP(host)) return [host]
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = Object.assign(new Error(`${host} was not found in ${wait} ms`), { code: 'EAI_AGAIN' })
    timer = setTimeout(reject, wait, error)
  })
  const found = await Promise.race([lookedUp(host), late]).finally(() => clearTimeout(timer))
  return found.map(({ address }) => address)
}

/** Looks a name up, once at a time: a look-up that hangs holds one of few threads that all in the process share. */
function lookedUp(host: string): Promise<readonly LookupAddress[]> {
  const present = underWay.get(host)
  if (present !== undefined) return present
  const found = lookup(host, { all: true }).finally(() => underWay.delete(host))
  underWay.set(host, found)
  return found
}
