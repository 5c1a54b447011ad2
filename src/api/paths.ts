export type Place = { readonly method: string; readonly path: string; readonly contentType?: string }

/** A path that exists: the methods it answers to, and the type of what it answers, where that is its own. */
export type Known = { readonly methods: readonly string[]; readonly contentType: string | undefined }

/** Tells what is known of a path, for those that exist but not with the method asked. */
export function pathsAmong(places: readonly Place[]): (url: string) => Known | undefined {
  const patterns = new Map<string, Known & { pattern: RegExp; methods: string[] }>()
  for (const { method, path, contentType } of places) {
    const known = patterns.get(path)
    if (known) known.methods.push(method)
    else patterns.set(path, { pattern: toPattern(path), methods: [method], contentType })
  }
  return (url) => {
    const path = url.replace(/\?.*$/s, '').replace(/(?<=.)\/$/, '')
    return patterns.values().find(({ pattern }) => pattern.test(path))
  }
}

const toPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
