import { type Finding, Unreachable } from './kind.ts'

/** A server that cannot be spoken to, and what a person can do about it. */
export class Mendable extends Unreachable {
  readonly mend: string

  constructor(message: string, mend: string, options?: ErrorOptions) {
    super(message, options)
    this.mend = mend
  }
}

/** The failure to speak to a server as a finding of a check; any other error is thrown on. */
export function findingOf(error: unknown): Finding {
  if (error instanceof Mendable) return { level: 'error', what: error.message, mend: error.mend }
  if (error instanceof Unreachable) return { level: 'error', what: error.message }
  throw error
}

/** What is wrong with the way to a server, by the code of the system's error; undefined for codes that say nothing of it. */
export function networkTrouble(code: string | undefined): { what: string; mend: string } | undefined {
  return Object.hasOwn(troubles, code ?? '') ? troubles[code as keyof typeof troubles] : undefined
}

/** How to mend that a server gives no answer, by the words that is told with: its name, its key, or whatever else it may be. */
export function silenceMend(reason: string, { key, otherwise }: { key: string; otherwise: string }): string {
  if (reason === 'the name of the host is not known') return troubles.ENOTFOUND.mend
  if (reason === 'the name of the host cannot be looked up now') return troubles.EAI_AGAIN.mend
  return /key|signed|believed/.test(reason) ? key : otherwise
}

const troubles = {
  ECONNREFUSED: {
    what: 'the connection is refused',
    mend: 'start the server, and let it listen for control at this address and port',
  },
  ETIMEDOUT: {
    what: 'the host does not answer',
    mend: 'look whether the host is up and no firewall stands in between',
  },
  EHOSTUNREACH: { what: 'there is no way to the host', mend: 'look at the address and at the routes to it' },
  ENETUNREACH: { what: 'there is no way to its network', mend: 'look at the address and at the routes to it' },
  ENOTFOUND: {
    what: 'the host name is not known',
    mend: 'the name cannot be resolved: correct it, or give an address',
  },
  EAI_AGAIN: {
    what: 'the host name cannot be looked up now',
    mend: 'the name cannot be resolved: look at the resolver of this machine, or give an address',
  },
  ENOENT: { what: 'the socket is not there', mend: 'start the server, and look at the path of its socket' },
  EACCES: { what: 'this user may not use the socket', mend: 'let the user of this service read and write the socket' },
} as const
