import { connect, type Socket } from 'node:net'
import type { MayAct } from '../kind.ts'
import { LeaseLost } from '../leases.ts'
import { Mendable, networkTrouble } from '../mendable.ts'
import { decodeMessage, encodeMessage, MessageSplitter, RndcError, type RndcKey, type Table } from './protocol.ts'

/** What named says to a command: nothing in `error` when it was done. */
export type Reply = { readonly error: string; readonly text: string }

export type Place = {
  readonly host: string
  readonly port: number
  /** Milliseconds that a command may take, connecting included. */
  readonly timeout: number
  readonly key: () => Promise<RndcKey>
  readonly now: () => number
  readonly mayAct?: MayAct | undefined
}

const EXPIRES_AFTER = 60

/** Speaks to named on one connection, which is kept; named closes it after 30 idle seconds, then the next command opens another. */
export class RndcConnection {
  readonly #place: Place
  #link: Link | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(place: Place) {
    this.#place = place
  }

  /** Has a command done after those before it: named reads no second one while it is at the first. */
  run(command: string, signal: AbortSignal): Promise<Reply> {
    const mine = this.#turn.then(() => this.#run(command, signal))
    this.#turn = mine.catch(() => {})
    return mine
  }

  async close(): Promise<void> {
    this.#link?.destroy(new Error('the connection was closed by us'))
    await this.#turn
    this.#link?.destroy(new Error('the connection was closed by us'))
  }

  async #run(command: string, signal: AbortSignal): Promise<Reply> {
    signal.throwIfAborted()
    const { host, port, timeout } = this.#place
    let ended: Error | undefined
    const end = (reason: Error) => {
      ended = reason
      this.#link?.destroy(reason)
    }
    const timer = setTimeout(() => {
      const what = `named gave no answer over rndc at ${host} port ${port} within ${timeout / 1000} seconds`
      end(new Mendable(what, 'See whether named hangs or is overloaded; else raise rndc_timeout of the target.'))
    }, timeout)
    const abort = () => end(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)))
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await this.#ask(command, () => ended)
    } catch (cause) {
      this.#link?.destroy(cause as Error)
      this.#link = undefined
      if (ended !== undefined) throw ended
      throw cause instanceof Mendable || cause instanceof LeaseLost ? cause : unreachable(cause as Error, this.#place)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }

  async #ask(command: string, ended: () => Error | undefined): Promise<Reply> {
    if (this.#link !== undefined && !this.#link.isClosed) {
      try {
        return await this.#link.ask(command)
      } catch (error) {
        // Closed while it was idle, as it seems; whatever the command is, it may be given twice.
        if (!(error instanceof Closed) || ended() !== undefined) throw error
      }
    }
    const key = await this.#place.key()
    const reason = ended()
    if (reason !== undefined) throw reason
    this.#link = new Link(this.#place, key)
    try {
      await this.#link.greet()
    } catch (error) {
      throw error instanceof Closed ? refused(this.#place, key) : error
    }
    return this.#link.ask(command)
  }
}

class Closed extends Error {}

/** One connection from its opening to its end; one command at a time. */
class Link {
  readonly #key: RndcKey
  readonly #now: () => number
  readonly #mayAct: MayAct | undefined
  readonly #socket: Socket
  readonly #splitter = new MessageSplitter()
  // named drops a message whose serial and time it has seen lately, whatever connection it came on.
  #serial = Math.floor(Math.random() * 0x7fffffff)
  #nonce: string | undefined
  #waiting: { resolve(reply: Table): void; reject(error: Error): void } | undefined
  #failure: Error | undefined

  constructor({ host, port, now, mayAct }: Place, key: RndcKey) {
    this.#key = key
    this.#now = now
    this.#mayAct = mayAct
    this.#socket = connect({ host, port, noDelay: true })
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    this.#socket.on('error', (error) => this.#fail(isReset(error) ? new Closed() : error))
    this.#socket.on('close', () => this.#fail(new Closed()))
  }

  get isClosed(): boolean {
    return this.#failure !== undefined
  }

  /** Gets the nonce that commands on this connection must carry. */
  async greet(): Promise<void> {
    const reply = await this.#exchange('null')
    const control = reply.get('_ctrl')
    const nonce = control instanceof Map ? control.get('_nonce') : undefined
    if (typeof nonce !== 'string') throw new RndcError('named gave no nonce')
    this.#nonce = nonce
  }

  async ask(command: string): Promise<Reply> {
    const data = (await this.#exchange(command)).get('_data')
    if (!(data instanceof Map)) throw new RndcError('the answer has no data')
    const text = (name: string) => {
      const value = data.get(name)
      return typeof value === 'string' ? value : ''
    }
    const isDone = text('result') === '0' && text('err') === ''
    return { error: isDone ? '' : text('err') || `result ${text('result')}`, text: text('text') }
  }

  destroy(reason: Error): void {
    this.#fail(reason)
    this.#socket.destroy()
  }

  async #exchange(command: string): Promise<Table> {
    if (this.#failure !== undefined) throw this.#failure
    const serial = String(++this.#serial)
    const now = Math.floor(this.#now() / 1000)
    const control = new Map([
      ['_ser', serial],
      ['_tim', String(now)],
      ['_exp', String(now + EXPIRES_AFTER)],
    ])
    if (this.#nonce !== undefined) control.set('_nonce', this.#nonce)
    const message = encodeMessage(
      new Map([
        ['_ctrl', control],
        ['_data', new Map([['type', command]])],
      ]),
      this.#key,
    )
    this.#mayAct?.()
    const reply = await new Promise<Table>((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(message)
    })
    const back = reply.get('_ctrl')
    if (!(back instanceof Map) || back.get('_ser') !== serial || back.get('_rpl') !== '1') {
      throw new RndcError('the answer is to another command')
    }
    return reply
  }

  #receive(chunk: Buffer): void {
    try {
      for (const message of this.#splitter.push(chunk)) {
        const reply = decodeMessage(message, this.#key)
        if (this.#waiting === undefined) throw new RndcError('an answer came that nobody asked for')
        this.#waiting.resolve(reply)
        this.#waiting = undefined
      }
    } catch (error) {
      this.destroy(error as Error)
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#waiting?.reject(this.#failure)
    this.#waiting = undefined
  }
}

const isReset = ({ code }: NodeJS.ErrnoException): boolean => code === 'ECONNRESET' || code === 'EPIPE'

/** named says nothing to those it does not trust: it closes, and tells its log why. */
function refused({ host, port }: Place, { name, algorithm }: RndcKey): Mendable {
  return new Mendable(
    `named at ${host} port ${port} closed the control connection without an answer: it does not know the key ${name} ` +
      `(${algorithm}) with this secret, or does not take control from this machine's address, or its clock and ours differ by over 5 minutes`,
    "named's log tells which of the three. The controls statement of named.conf must list the key in keys and this machine in allow, " +
      'the key statement must have the same name, algorithm and secret, and both machines must keep time (NTP).',
  )
}

function unreachable(cause: NodeJS.ErrnoException, { host, port }: Place): Mendable {
  const where = `${host} port ${port}`
  if (cause.code === 'ECONNREFUSED') {
    return new Mendable(
      `nothing listens for rndc at ${where}`,
      `Start named, and have it listen: controls { inet ${host} port ${port} allow { …; } keys { …; }; };`,
      { cause },
    )
  }
  const network = networkTrouble(cause.code)
  if (network !== undefined) {
    return new Mendable(`named cannot be spoken to over rndc at ${where}: ${network.what}`, network.mend, { cause })
  }
  const why =
    cause instanceof Closed
      ? 'named closed the connection before it answered'
      : cause instanceof RndcError
        ? `what answers there does not speak rndc as it should: ${cause.message}`
        : cause.message
  return new Mendable(
    `named cannot be spoken to over rndc at ${where}: ${why}`,
    'See that rndc_host and rndc_port of the target are those of the controls statement, and that named runs.',
    { cause },
  )
}
