/** A piece of a zone file, cut anywhere: octets, or text that is read as UTF-8. */
export type Chunk = string | Uint8Array

/** How many octets are read at once; a file needs memory for a few of these, however long it is. */
export const WINDOW = 65_536

/** Joins small chunks and cuts large ones into windows of latin1 text, where a character is an octet. */
export class Intake {
  #chunk: Chunk = ''
  #at = 0
  #held = ''
  #pending = ''

  /** Gives the next chunk; `take` must have answered undefined before. */
  add(chunk: Chunk): void {
    this.#at = 0
    this.#chunk = typeof chunk === 'string' ? this.#held + chunk : chunk
    if (typeof chunk !== 'string') this.#pending += latin1(this.#held)
    this.#held = ''
  }

  /** The next window; undefined when a chunk is needed first. */
  take(): string | undefined {
    while (this.#pending.length < WINDOW && this.#at < this.#chunk.length) this.#pending += this.#piece()
    return this.#pending.length < WINDOW ? undefined : this.#window()
  }

  /** What is left when no chunk follows. */
  rest(): string {
    this.#pending += latin1(this.#held)
    this.#held = ''
    return this.#window()
  }

  #window(): string {
    const window = this.#pending
    this.#pending = ''
    return window
  }

  #piece(): string {
    const chunk = this.#chunk
    const start = this.#at
    if (typeof chunk !== 'string') {
      this.#at += WINDOW
      return octets(chunk.subarray(start, this.#at))
    }
    let end = Math.min(start + WINDOW, chunk.length)
    // A character outside the basic plane is two units; the first waits for the second, in the next chunk if need be.
    if ((chunk.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--
    this.#at = end
    if (end === chunk.length - 1) {
      this.#held = chunk.slice(end)
      this.#at = chunk.length
    }
    return latin1(chunk.slice(start, end))
  }
}

function latin1(text: string): string {
  return text === '' ? '' : octets(Buffer.from(text, 'utf8'))
}

function octets(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
