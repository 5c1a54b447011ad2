/** One option of a kind of target. */
export type TargetOption = {
  readonly type: 'text' | 'integer' | 'boolean'
  /** What it is when nothing is said; without one it is left out. */
  readonly preset?: string | number | boolean
  /** Written, never shown. */
  readonly secret?: true
  readonly required?: true
  /** What it is for, in a few words. */
  readonly purpose: string
}

export type TargetKind = {
  readonly purpose: string
  /** Whether the server is told where to take zones from; otherwise its own configuration says so. */
  readonly masters: 'required' | 'unused'
  readonly options: Readonly<Record<string, TargetOption>>
}

/** Where NOTIFY goes, and where proof is asked for when no name server stands for the target. */
const address = {
  host: { type: 'text', preset: '127.0.0.1', purpose: 'where the server answers DNS: NOTIFY goes there' },
  port: { type: 'integer', preset: 53, purpose: 'the port of host' },
} as const satisfies TargetKind['options']

/** The kinds of server that zones are delivered to, by the name that `type` of a target has. */
export const targetKinds = {
  catalog: {
    purpose: 'Any server that follows an RFC 9432 catalog zone: BIND 9.18, Knot 3.0, PowerDNS 4.7, NSD 4.9 and later',
    masters: 'unused',
    options: address,
  },
  bind9: {
    purpose: 'BIND by its control channel (rndc addzone, modzone, delzone)',
    masters: 'required',
    options: {
      ...address,
      rndc_host: { type: 'text', preset: '127.0.0.1', purpose: 'where named listens for control' },
      rndc_port: { type: 'integer', preset: 953, purpose: 'the port of rndc_host' },
      rndc_key_file: { type: 'text', purpose: 'a file with the key of the control channel, on this machine' },
      rndc_config_file: { type: 'text', purpose: 'an rndc.conf with the key, on this machine' },
      rndc_key_name: { type: 'text', preset: 'rndc-key', purpose: 'the name of the key in rndc_key_secret' },
      rndc_key_algorithm: { type: 'text', preset: 'hmac-sha256', purpose: 'the algorithm of the key' },
      rndc_key_secret: { type: 'text', secret: true, purpose: 'the key itself in base64, instead of a file' },
      rndc_timeout: { type: 'integer', preset: 10, purpose: 'seconds to wait for an answer' },
      rndc_bin_path: { type: 'text', purpose: 'taken from Designate and not used: no rndc program is run' },
      view: { type: 'text', purpose: 'the view that zones are added to' },
      clean_zonefile: { type: 'boolean', preset: false, purpose: "whether the zone's file goes with the zone" },
    },
  },
  knot: {
    purpose: 'Knot DNS by its control socket; the server must run with a configuration database',
    masters: 'required',
    options: {
      ...address,
      socket: { type: 'text', preset: '/run/knot/knot.sock', purpose: 'the control socket, on this machine' },
      template: { type: 'text', purpose: 'a template of the server for new zones; without one, masters are set up' },
      timeout: { type: 'integer', preset: 10, purpose: 'seconds to wait for an answer' },
    },
  },
  nsd4: {
    purpose: 'NSD by its TLS control channel',
    masters: 'unused',
    options: {
      ...address,
      control_host: {
        type: 'text',
        purpose: 'where NSD listens for control, or the path of its socket; host when left out',
      },
      control_port: { type: 'integer', preset: 8952, purpose: 'the port of the control channel' },
      certfile: { type: 'text', preset: '/etc/nsd/nsd_control.pem', purpose: 'our certificate, on this machine' },
      keyfile: { type: 'text', preset: '/etc/nsd/nsd_control.key', purpose: 'the key of our certificate' },
      ca_certs: { type: 'text', purpose: 'the certificate the server must have: its nsd_server.pem' },
      pattern: { type: 'text', preset: 'slave', purpose: 'the pattern of nsd.conf that new zones follow' },
      verify_ssl: { type: 'boolean', preset: true, purpose: "whether the server's certificate is checked" },
      check_hostname: {
        type: 'boolean',
        preset: true,
        purpose: 'whether a certificate that is not in ca_certs itself must name the host',
      },
      timeout: { type: 'integer', preset: 10, purpose: 'seconds to wait for an answer' },
    },
  },
  pdns4: {
    purpose: 'PowerDNS by its HTTP API',
    masters: 'required',
    options: {
      ...address,
      api_endpoint: { type: 'text', required: true, purpose: 'such as http://127.0.0.1:8081' },
      api_token: { type: 'text', required: true, secret: true, purpose: 'its api-key' },
      api_ca_cert: { type: 'text', purpose: 'a file with the certificate authority of https, on this machine' },
      tsigkey_name: { type: 'text', purpose: 'a key the server has, for transfers, instead of that of the target' },
      timeout: { type: 'integer', preset: 10, purpose: 'seconds to wait for an answer' },
    },
  },
} as const satisfies Record<string, TargetKind>

export type TargetType = keyof typeof targetKinds
