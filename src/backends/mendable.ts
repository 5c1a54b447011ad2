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
  return troubles[code ?? '']
}

const troubles: Readonly<Record<string, { what: string; mend: string }>> = {
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
  ENOTFOUND: { what: 'the host name is not known', mend: 'correct the host name, or give an address' },
  EAI_AGAIN: { what: 'the host name cannot be looked up now', mend: 'look at the resolver of this machine' },
  ENOENT: { what: 'the socket is not there', mend: 'start the server, and look at the path of its socket' },
  EACCES: { what: 'this user may not use the socket', mend: 'let the user of this service read and write the socket' },
}
