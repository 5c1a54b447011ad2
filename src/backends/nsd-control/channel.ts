import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP, connect as netConnect, type Socket } from 'node:net'
import { checkServerIdentity, createSecureContext, type SecureContext, connect as tlsConnect } from 'node:tls'
import { type MayAct, Unreachable } from '../kind.ts'
import { Mendable, networkTrouble } from '../mendable.ts'

/** How the control channel of an NSD is reached. */
export type ControlSettings = {
  /** An address or host name; a path where NSD's only control-interface is a socket of this machine, which has no TLS. */
  readonly host: string
  readonly port: number
  readonly certfile: string
  readonly keyfile: string
  readonly ca_certs: string | undefined
  readonly verify_ssl: boolean
  readonly check_hostname: boolean
  /** Seconds of silence that are borne. */
  readonly timeout: number
}

/** A command for NSD: a line, and the lines that some commands read after it. */
export type Command = {
  readonly command: string
  readonly input?: readonly string[]
  /** NSD says nothing to it where there is nothing to say; to others it always answers. */
  readonly mayBeEmpty?: boolean
  readonly signal: AbortSignal
}

type Credentials = { readonly context: SecureContext; readonly pinned: readonly Buffer[] }

const mostOctets = 256 * 1024 * 1024
const longestLine = 8192
/** A whole answer may take so many times the silence that is borne. */
const patience = 12
const endOfInput = '\x04'

/** Speaks NSD's control protocol: a connection for each command, which NSD closes when it has answered. */
export class NsdControl {
  readonly #settings: ControlSettings
  readonly #mayAct: MayAct | undefined
  readonly #closed = new AbortController()
  #credentials: Promise<Credentials> | undefined

  constructor(settings: ControlSettings, mayAct?: MayAct) {
    this.#settings = settings
    this.#mayAct = mayAct
  }

  /** Where it is, for a person. */
  get at(): string {
    const { host, port } = this.#settings
    if (this.#isLocal) return host
    return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`
  }

  /** The lines of NSD's answer. */
  async ask(command: Command): Promise<string[]> {
    const lines: string[] = []
    await this.each(command, (line) => lines.push(line))
    return lines
  }

  /** Gives each line of NSD's answer as it comes. */
  async each({ command, input, mayBeEmpty = false, signal }: Command, take: (line: string) => void): Promise<void> {
    const text = [`NSDCT1 ${command}`, ...(input === undefined ? [] : [...input, endOfInput]), ''].join('\n')
    const socket = await this.#connect(AbortSignal.any([signal, this.#closed.signal]))
    const answered = await this.#converse(socket, text, take, AbortSignal.any([signal, this.#closed.signal]))
    if (!answered && !mayBeEmpty) throw this.#unanswered()
  }

  close(): void {
    this.#closed.abort(new Unreachable(`the control channel to NSD at ${this.at} was closed`))
  }

  get #isLocal(): boolean {
    return this.#settings.host.startsWith('/')
  }

  async #connect(signal: AbortSignal): Promise<Socket> {
    signal.throwIfAborted()
    const { host, port, verify_ssl, check_hostname } = this.#settings
    if (this.#isLocal) return netConnect({ path: host })
    this.#credentials ??= this.#readCredentials()
    const { context, pinned } = await this.#credentials.catch((error) => {
      this.#credentials = undefined
      throw error
    })
    signal.throwIfAborted()
    return tlsConnect({
      host,
      port,
      secureContext: context,
      rejectUnauthorized: verify_ssl,
      ...(isIP(host) ? {} : { servername: host }),
      // nsd-control-setup names every server "nsd": a certificate that we were given itself needs no name.
      checkServerIdentity: (_, certificate) =>
        !check_hostname || pinned.some((raw) => raw.equals(certificate.raw))
          ? undefined
          : checkServerIdentity(host, certificate),
    })
  }

  /** Resolves with whether NSD said anything. */
  #converse(socket: Socket, text: string, take: (line: string) => void, signal: AbortSignal): Promise<boolean> {
    const { timeout } = this.#settings
    return new Promise<boolean>((resolve, reject) => {
      let isOpen = false
      let octets = 0
      let rest = ''
      const finish = (error?: Error) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        socket.destroy()
        if (error === undefined) resolve(octets > 0)
        else reject(error)
      }
      const abort = () => finish(signal.reason as Error)
      const timer = setTimeout(
        () => finish(this.#trouble(`has not come to the end of its answer in ${timeout * patience} seconds`, slow)),
        timeout * patience * 1000,
      )
      signal.addEventListener('abort', abort, { once: true })
      socket.setTimeout(timeout * 1000, () => {
        const what = isOpen ? 'takes our command and does not answer' : 'does not finish setting up the connection'
        finish(this.#trouble(`${what} within ${timeout} seconds`, hung))
      })
      socket.once(this.#isLocal ? 'connect' : 'secureConnect', () => {
        isOpen = true
        try {
          this.#mayAct?.()
          socket.write(text)
        } catch (error) {
          finish(error as Error)
        }
      })
      socket.setEncoding('latin1')
      socket.on('data', (chunk: string) => {
        octets += chunk.length
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        if (octets > mostOctets || rest.length > longestLine || lines.some((line) => line.length > longestLine)) {
          finish(this.#trouble('sends an answer that is too long', wrongServer))
          return
        }
        for (const line of lines) take(line)
      })
      socket.once('end', () => {
        if (!isOpen) finish(this.#trouble('closes the connection', wrongServer))
        else if (rest !== '') finish(this.#trouble('ended in the middle of its answer', again))
        else finish()
      })
      socket.once('error', (error: NodeJS.ErrnoException) => finish(this.#translated(error, isOpen && octets === 0)))
    })
  }

  async #readCredentials(): Promise<Credentials> {
    const { certfile, keyfile, ca_certs } = this.#settings
    const cert = await readable('certfile', certfile)
    const key = await readable('keyfile', keyfile)
    const ca = ca_certs === undefined ? undefined : await readable('ca_certs', ca_certs)
    const pinned = (ca?.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []).flatMap(rawOf)
    if (ca !== undefined && pinned.length === 0)
      throw new Mendable(`ca_certs ${ca_certs} has no certificate in it`, 'give a copy of the nsd_server.pem of NSD')
    try {
      const context = createSecureContext({
        cert,
        key,
        ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
      })
      return { context, pinned }
    } catch (cause) {
      throw new Mendable(
        `certfile ${certfile} and keyfile ${keyfile} are not a certificate and its key: ${(cause as Error).message}`,
        'give copies of the nsd_control.pem and nsd_control.key that nsd-control-setup made, both of one run',
        { cause },
      )
    }
  }

  #translated(error: NodeJS.ErrnoException, isUnanswered: boolean): Unreachable {
    const { code = '' } = error
    const { certfile, ca_certs } = this.#settings
    const network = networkTrouble(code)
    if (network !== undefined)
      return new Mendable(`NSD cannot be reached at ${this.at}: ${network.what}`, network.mend, { cause: error })
    if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
      return this.#trouble(`has a certificate for another host: ${error.message}`, wrongName, error)
    if (code === 'CERT_HAS_EXPIRED')
      return this.#trouble('has a certificate that is no longer valid', 'make new ones with nsd-control-setup', error)
    if (certificateCodes.test(code)) {
      const what = ca_certs === undefined ? 'no ca_certs is given' : `it is not that of ca_certs ${ca_certs}`
      return this.#trouble(`has a certificate that we do not trust: ${what}`, wrongServerCertificate, error)
    }
    if (/ALERT/.test(code))
      return this.#trouble(`refuses our certificate ${certfile}: ${code}`, wrongCertificate, error)
    if (/^EPROTO$|^ERR_SSL_/.test(code)) return this.#trouble(`does not speak TLS with us: ${code}`, wrongServer, error)
    if (isUnanswered) return this.#unanswered(error)
    return this.#trouble(`broke the connection: ${error.message}`, again, error)
  }

  #unanswered(cause?: Error): Unreachable {
    const what = 'closes the connection without an answer'
    if (this.#isLocal) return this.#trouble(what, onlyLocal, cause)
    return this.#trouble(
      `${what}: it does not take our certificate ${this.#settings.certfile}`,
      wrongCertificate,
      cause,
    )
  }

  #trouble(what: string, mend: string, cause?: Error): Unreachable {
    return new Mendable(`NSD at ${this.at} ${what}`, mend, { cause })
  }
}

const slow = 'look at the load of the server, or give this target a longer timeout'
const hung = 'look whether NSD still works (nsd-control status on its machine); restart it if not'
const again = 'look in the log of NSD why it ended the connection'
const wrongServer = 'let control_host and control_port name the control-interface and control-port of nsd.conf'
const wrongName = 'give the certificate itself in ca_certs, or turn check_hostname off'
const wrongCertificate = 'give copies of the nsd_control.pem and nsd_control.key of this NSD in certfile and keyfile'
const wrongServerCertificate = 'give a copy of the nsd_server.pem of this NSD in ca_certs (or turn verify_ssl off)'
const onlyLocal = 'let that socket be the only control-interface of NSD: beside an address it wants TLS'

const certificateCodes = /SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY|DECODE)|CERT_|INVALID_CA|INVALID_PURPOSE/

async function readable(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'is not there' : code === 'EACCES' ? 'may not be read by this user' : `: ${code}`
    throw new Mendable(
      `${option} ${path} ${why}`,
      'copy it from the machine of NSD, where nsd-control-setup makes it, and let the user of this service read it',
      { cause },
    )
  }
}

function rawOf(pem: string): Buffer[] {
  try {
    return [new X509Certificate(pem).raw]
  } catch {
    return []
  }
}
