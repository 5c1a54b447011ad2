/** Trouble that is expected and no fault of the program: told to the person in plain lines, without a stack trace. */
export class Trouble extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.name = 'Trouble'
    this.exitCode = exitCode
  }
}

/** Why a listener could not start, in the words of the setting that names its address; any other error as it is. */
export function listenTrouble(error: unknown, setting: string, at: { host: string; port: number }): unknown {
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? '']
  if (reason === undefined) return error
  const address = at.host.includes(':') ? `[${at.host}]:${at.port}` : `${at.host}:${at.port}`
  return new Trouble(`cannot listen on ${address}: ${reason}; choose another with --${setting.replaceAll('_', '-')}`)
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses that port',
  EACCES: 'this user may not use that port',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EAFNOSUPPORT: 'this machine does not support that kind of address',
  ENOTFOUND: 'that host name is not known',
  EAI_AGAIN: 'that host name cannot be looked up now',
}
