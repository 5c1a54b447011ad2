import { isIPv4, isIPv6 } from 'node:net'

/** What keeps text from being an IP address, or undefined when nothing does. */
export const addressFault = (text: string): string | undefined =>
  isAddress(text)
    ? undefined
    : `must be an IPv4 or IPv6 address, such as 192.0.2.53 or 2001:db8::53, not '${short(text)}'`

const label = /^(?!-)[A-Za-z0-9_-]{1,63}(?<!-)$/

/** What keeps text from being an IP address or a host name, or undefined when nothing does. */
export function hostFault(text: string): string | undefined {
  if (isAddress(text)) return undefined
  const labels = text.replace(/\.$/, '').split('.')
  const isName = text.length <= 254 && labels.every((one) => label.test(one)) && !/^\d+$/.test(labels.at(-1)!)
  return isName
    ? undefined
    : `must be an IP address or a host name, such as 192.0.2.53 or ns1.example.org, not '${short(text)}'`
}

/** One text for all ways to write the same host. */
export function hostKey(text: string): string {
  if (isIPv6(text)) return new URL(`http://[${text}]`).hostname
  return text.toLowerCase().replace(/\.$/, '')
}

const isAddress = (text: string): boolean => isIPv4(text) || (isIPv6(text) && !text.includes('%'))

const short = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
