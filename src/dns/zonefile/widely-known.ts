// Types that the tools of BIND 9.18, Knot 3.2, NSD 4.6 and ldns 1.8 all read by name, with the same octets.
// Others are safe to write as TYPE and octets only, which all of them read (RFC 3597).
const names = new Set<number>()

/** Whether every name server in wide use reads this type by its name. */
export function isWidelyKnown(type: number): boolean {
  return names.has(type)
}
