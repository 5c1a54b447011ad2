/** What a person sees once the service runs: where it is, what to try, how to stop. */
export function banner(at: { readonly api: string; readonly dns: readonly string[]; readonly data: string }): string {
  const dns = at.dns.length > 0 ? `\n  DNS    ${at.dns.join(', ')}` : ''
  return `
Nameplane is running.

  API    ${at.api}   (documentation: ${at.api}/docs)${dns}
  Data   ${at.data}

Try:
  curl -s ${at.api}/v2/pools
  curl -s ${at.api}/v2/tlds -H 'Content-Type: application/json' -d '{"name": "org"}'
  curl -s ${at.api}/v2/tlds

Stop it with Ctrl-C.
`
}
