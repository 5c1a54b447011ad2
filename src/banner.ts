type Address = { readonly host: string; readonly port: number }

/** What a person sees once the service runs: where it is, what to try, how to stop. */
export function banner(at: { readonly api: string; readonly dns: readonly Address[]; readonly data: string }): string {
  const dns = at.dns.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(', ')
  const first = at.dns[0]!
  return `
Nameplane is running.

  API    ${at.api}   (documentation: ${at.api}/docs)
  DNS    ${dns}   (UDP and TCP)
  Data   ${at.data}

Try, in another terminal:
  curl -s ${at.api}/v2/zones -H 'Content-Type: application/json' -d '{"name": "example.org.", "email": "you@example.org"}'
  curl -s ${at.api}/v2/zones
  dig @${first.host} -p ${first.port} example.org SOA

Stop it with Ctrl-C.
`
}
