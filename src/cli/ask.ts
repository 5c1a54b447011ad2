import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'

/** Asks a person; anything but yes, and an end of the input too, is no. */
export async function isAgreed(question: string, input: Readable, output: Writable): Promise<boolean> {
  const lines = createInterface({ input, output })
  try {
    const answer = await Promise.race([lines.question(`${question} (yes or no) `), once(lines, 'close')])
    return typeof answer === 'string' && /^y(es)?$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}
