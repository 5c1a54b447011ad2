import { TextError } from './errors.ts'
import { labelsFault } from './hostname.ts'
import { labelsOf, parseName } from './name.ts'

/** The name that stands for an e-mail address in an SOA: its local part is the first label (RFC 1035 8). */
export function mailboxName(email: string): string {
  const at = email.lastIndexOf('@')
  const [local, domain] = [email.slice(0, at), email.slice(at + 1)]
  if (at < 1 || local.includes('@'))
    throw new TextError(`must be an e-mail address such as hostmaster@example.org, not '${email}'`)
  if (!/^[\x21-\x7e]+$/.test(local) || /[\\"(),:;<>[\]]/.test(local)) {
    throw new TextError(`must have letters, digits and marks such as + - _ . before the @, not '${local}'`)
  }
  if (local.length > 63) throw new TextError(`must have at most 63 characters before the @, not ${local.length}`)
  const fault = labelsFault(domain)
  if (fault !== undefined) throw new TextError(`must have a domain after the @ that is right: ${fault}`)
  return parseName(`${local.replaceAll(/[.@$]/g, '\\$&')}.${domain}.`)
}

/** The e-mail address that an SOA's contact name stands for. */
export function mailboxEmail(name: string): string {
  const [local = '', ...domain] = labelsOf(name)
  return `${local.replaceAll(/\\(\d{3}|.)/g, (_, escaped: string) => (escaped.length === 3 ? String.fromCharCode(Number(escaped)) : escaped))}@${domain.join('.')}`
}
