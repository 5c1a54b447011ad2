import { RE2JS } from 're2js'

/** Time is linear in the name, but also in the compiled size: `(.?){1000}` ten times over would take seconds a name. */
const maxProgram = 2000

/**
 * Compiles a blacklist pattern with an engine whose time is linear in the text, so that no pattern can hang the service.
 * Throws what is wrong with it, in words.
 */
export function compilePattern(pattern: string): (name: string) => boolean {
  const compiled = RE2JS.compile(pattern)
  if (compiled.programSize() > maxProgram)
    throw new Error('its repetitions multiply to more than we can search quickly')
  return (name) => compiled.test(name)
}

/** What keeps text from being a pattern we can search with, or undefined when nothing does. */
export function patternFault(pattern: string): string | undefined {
  try {
    compilePattern(pattern)
    return undefined
  } catch (error) {
    return (
      `must be a regular expression that searches in linear time (RE2 syntax: no back-references, no look-around); ` +
      `${(error as Error).message}`
    )
  }
}
