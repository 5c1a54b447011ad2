export type Place = { readonly method: string; readonly path: string }

/** Tells which methods a path answers to, for paths that exist but not with the method asked. */
export function methodsAt(places: readonly Place[]): (url: string) => string[] {
  const patterns = new Map<string, { pattern: RegExp; methods: string[] }>()
  for (const { method, path } of places) {
    const known = patterns.get(path)
    if (known) known.methods.push(method)
    else patterns.set(path, { pattern: toPattern(path), methods: [method] })
  }
  return (url) => {
    const path = url.replace(/\?.*$/s, '').replace(/(?<=.)\/$/, '')
    for (const { pattern, methods } of patterns.values()) if (pattern.test(path)) return methods
    return []
  }
}

const toPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
