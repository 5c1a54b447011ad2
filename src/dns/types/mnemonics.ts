const names = new Map<number, string>()
// Names of the registry for types without fields here. They are understood, as in lists of types that others print, and
// written by number, which every program understands.
const codes = new Map<string, number>([
  ['MD', 3],
  ['MF', 4],
  ['MB', 7],
  ['MG', 8],
  ['MR', 9],
  ['NULL', 10],
  ['WKS', 11],
  ['MINFO', 14],
  ['NSAP', 22],
  ['NSAP-PTR', 23],
  ['PX', 26],
  ['GPOS', 27],
  ['NXT', 30],
  ['EID', 31],
  ['NIMLOC', 32],
  ['ATMA', 34],
  ['A6', 38],
  ['SINK', 40],
  ['NINFO', 56],
  ['RKEY', 57],
  ['TALINK', 58],
  ['HHIT', 67],
  ['BRID', 68],
  ['UINFO', 100],
  ['UID', 101],
  ['GID', 102],
  ['UNSPEC', 103],
  ['MAILB', 253],
  ['MAILA', 254],
])

/** Makes the names of types known; the list of all types does this once, so that fields can name types without importing them. */
export function nameTypes(types: readonly { readonly type: string; readonly code: number }[]): void {
  for (const { type, code } of types) {
    names.set(code, type)
    codes.set(type, code)
  }
}

/** The name of a type: its mnemonic, or `TYPE` and its number (RFC 3597 5). */
export function typeName(code: number): string {
  return names.get(code) ?? `TYPE${code}`
}

/** The number of a type given by mnemonic or as `TYPE` and its number, in any letter case. */
export function typeCode(name: string): number | undefined {
  return codes.get(name) ?? codes.get(name.toUpperCase()) ?? numbered(name, 'TYPE')
}

const classes: Readonly<Record<string, number>> = { IN: 1, CH: 3, HS: 4, NONE: 254, ANY: 255 }

/** The name of a class: its mnemonic, or `CLASS` and its number. */
export function className(code: number): string {
  return Object.keys(classes).find((name) => classes[name] === code) ?? `CLASS${code}`
}

/** The number of a class given by mnemonic or as `CLASS` and its number, in any letter case. */
export function classCode(name: string): number | undefined {
  const upper = name.toUpperCase()
  return Object.hasOwn(classes, upper) ? classes[upper] : numbered(name, 'CLASS')
}

function numbered(name: string, prefix: string): number | undefined {
  const digits = name.slice(prefix.length)
  if (name.slice(0, prefix.length).toUpperCase() !== prefix || !/^(?:0|[1-9]\d{0,4})$/.test(digits)) return undefined
  return Number(digits) <= 65535 ? Number(digits) : undefined
}
