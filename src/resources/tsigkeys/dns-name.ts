import { TextError } from '../../dns/errors.ts'
import { nameKey, parseName } from '../../dns/name.ts'

/**
 * The name of a key as it stands in messages, whole and in lower case, or what keeps text from being one. The final
 * dot may be left out, and a space stands for itself.
 */
export function dnsName(text: string): { readonly name: string } | { readonly fault: string } {
  try {
    const name = parseName(text.replaceAll(' ', '\\032'), '.')
    return name === '.'
      ? { fault: "must be a domain name such as 'transfer.example.org', not the root" }
      : { name: nameKey(name) }
  } catch (error) {
    if (error instanceof TextError) return { fault: `must be a domain name: ${error.message}` }
    throw error
  }
}
