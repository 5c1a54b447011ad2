import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { Trouble } from '../trouble.ts'

/** Ends a command that has nobody to ask. */
export function mustHavePerson(): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return
  throw new Trouble('nobody is here to say yes, so nothing was changed: run it again with --yes', 2)
}

/** Asks a person; anything but yes is no, and so are Ctrl-C, Ctrl-D and the end of the input. */
export async function isAgreed(question: string, input: Readable, output: Writable): Promise<boolean> {
  const lines = createInterface({ input, output })
  try {
    // Ctrl-C and Ctrl-D break the question off; an input that ends only closes it.
    const answered = lines.question(`${question} (yes or no) `).catch(() => undefined)
    const answer = await Promise.race([answered, once(lines, 'close')])
    return typeof answer === 'string' && /^y(es)?$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}
