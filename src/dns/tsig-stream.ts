import { checkAnswer, freshTsig, type Signed, sign, type TsigCheck, type TsigKey } from './tsig.ts'
import { beginDigest, splitTsig, timers, variables } from './tsig-digest.ts'

const MOST_UNSIGNED = 99

/** Signs the messages of one long answer (RFC 8945 5.3.1); its first and last must be signed. */
export class StreamSigner {
  readonly #key: TsigKey
  #digest
  #unsigned = 0
  #covers = variables

  constructor(key: TsigKey, requestMac: Uint8Array) {
    this.#key = key
    this.#digest = beginDigest(key, requestMac)
  }

  sign(message: Uint8Array, now: Date): Signed {
    const tsig = freshTsig(message, this.#key, now)
    const signed = sign(message, tsig, this.#digest.update(message).update(this.#covers(tsig)).digest(), this.#key)
    this.#digest = beginDigest(this.#key, signed.mac)
    this.#unsigned = 0
    this.#covers = timers
    return signed
  }

  /** Lets a message go unsigned; the next signature covers it. */
  pass(message: Uint8Array): void {
    if (this.#covers === variables) throw new Error('the first message of a stream must be signed')
    if (++this.#unsigned > MOST_UNSIGNED) throw new Error(`at most ${MOST_UNSIGNED} messages in a row may go unsigned`)
    this.#digest.update(message)
  }
}

/** Checks the messages of one long answer as they come. */
export class StreamVerifier {
  readonly #key: TsigKey
  #digest
  #unsigned = 0
  #covers = variables

  constructor(key: TsigKey, requestMac: Uint8Array) {
    this.#key = key
    this.#digest = beginDigest(key, requestMac)
  }

  /** Whether the last message was signed, as the last of a stream must be. */
  get complete(): boolean {
    return this.#covers === timers && this.#unsigned === 0
  }

  /** `unsigned` is in order as long as a signed message follows in time; `missing` is a signature that did not come. */
  next(bytes: Uint8Array, now: Date): TsigCheck | { readonly status: 'missing' } {
    const found = splitTsig(bytes)
    if (found === undefined) {
      if (this.#covers === variables || ++this.#unsigned > MOST_UNSIGNED) return { status: 'missing' }
      this.#digest.update(bytes)
      return { status: 'unsigned' }
    }
    const { message, tsig } = found
    const result = checkAnswer(tsig, this.#key, now, () =>
      this.#digest.update(message).update(this.#covers(tsig)).digest(),
    )
    this.#digest = beginDigest(this.#key, tsig.mac)
    this.#unsigned = 0
    this.#covers = timers
    return result
  }
}
