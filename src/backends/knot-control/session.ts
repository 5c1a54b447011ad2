import { connect, type Socket } from 'node:net'
import type { MayAct } from '../kind.ts'
import { Mendable } from '../mendable.ts'
import { encodeUnit, type Items, KnotError, UnitDecoder } from './protocol.ts'

export type Place = {
  /** The control socket. */
  readonly path: string
  /** Milliseconds of silence that are waited for. */
  readonly timeout: number
  readonly mayAct?: MayAct | undefined
}

/** What a command was answered: values, and what is wrong. */
export type Answer = {
  readonly values: readonly Items[]
  readonly errors: readonly Items[]
}

// More than a list of the zones of the largest server has; what is beyond is no answer.
const MOST_OCTETS = 1 << 30

/**
 * A connection to knotd, for one piece of work: knotd serves one at a time, so that others wait for as long as it is open.
 * Commands are sent together and answered in their order.
 */
export class KnotSession {
  readonly #place: Place
  readonly #socket: Socket
  readonly #decoder = new UnitDecoder()
  readonly #answers: Answer[] = []
  #open: { values: Items[]; errors: Items[] } = { values: [], errors: [] }
  #octets = 0
  #failure: Error | undefined
  #wake = () => {}

  constructor(place: Place) {
    this.#place = place
    this.#socket = connect({ path: place.path })
    this.#socket.setTimeout(place.timeout, () => this.fail(silent(place)))
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    this.#socket.on('error', (error) => this.fail(error))
    this.#socket.on('close', () => this.fail(new KnotError('knotd closed the connection')))
  }

  /** Has commands done; each has an answer. */
  async ask(commands: readonly Items[]): Promise<Answer[]> {
    const block = encodeUnit({ type: 'block' })
    this.#place.mayAct?.()
    this.#socket.write(Buffer.concat(commands.flatMap((items) => [encodeUnit({ type: 'data', items }), block])))
    while (this.#answers.length < commands.length) {
      if (this.#failure !== undefined) throw this.#trouble(this.#failure)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.#answers.splice(0, commands.length)
  }

  async one(command: Items): Promise<Answer> {
    return (await this.ask([command]))[0]!
  }

  /** Lets others have knotd. */
  end(): void {
    if (this.#failure === undefined) this.#socket.end(encodeUnit({ type: 'end' }))
    this.#failure ??= new KnotError('the session has ended')
    this.#socket.unref()
  }

  fail(error: Error): void {
    this.#failure ??= error
    this.#socket.destroy()
    this.#wake()
  }

  #receive(chunk: Buffer): void {
    try {
      this.#octets += chunk.length
      if (this.#octets > MOST_OCTETS) throw new KnotError(`an answer has more than ${MOST_OCTETS} octets`)
      for (const unit of this.#decoder.push(chunk)) {
        if (unit.type === 'end') throw new KnotError('knotd ended the session')
        if (unit.type === 'block') {
          this.#answers.push(this.#open)
          this.#open = { values: [], errors: [] }
        } else if (unit.items.error !== undefined) this.#open.errors.push(unit.items)
        else this.#open.values.push(unit.items)
      }
    } catch (error) {
      this.fail(error as Error)
    }
    this.#wake()
  }

  #trouble(cause: NodeJS.ErrnoException): Error {
    if (cause instanceof KnotError)
      return new Mendable(`knotd at ${this.#place.path}: ${cause.message}`, MEND, { cause })
    const trouble = troubles[cause.code ?? '']
    if (trouble === undefined) return cause
    return new Mendable(`knotd cannot be spoken to at ${this.#place.path}: ${trouble.what}`, trouble.mend, { cause })
  }
}

const MEND =
  'See the log of knotd, and that the option socket of the target names the control socket of Knot DNS 3.0 or later.'

const troubles: Readonly<Record<string, { what: string; mend: string }>> = {
  ENOENT: {
    what: 'there is no such socket',
    mend: 'Start knotd on this machine, and set the option socket of the target to what control.listen says in its configuration.',
  },
  ECONNREFUSED: { what: 'nothing listens there', mend: 'Start knotd.' },
  EACCES: {
    what: 'this user may not use the socket',
    mend: 'Let the user that Nameplane runs as use the socket (Debian: add it to the group knot).',
  },
  ENOTSOCK: { what: 'it is not a socket', mend: MEND },
  EPIPE: { what: 'knotd closed the connection', mend: MEND },
  ECONNRESET: { what: 'knotd closed the connection', mend: MEND },
}

function silent({ path, timeout }: Place): Mendable {
  return new Mendable(
    `knotd gave no answer at ${path} within ${timeout / 1000} seconds`,
    'See whether knotd hangs, or whether another has a control session open (knotc without a command): knotd serves one at a time. Else raise the option timeout of the target.',
  )
}
