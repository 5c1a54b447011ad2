/** What every function of the protocol library throws, and nothing else, whatever it is given. */
export class DnsError extends Error {
  override name = 'DnsError'

  // No stack is kept: these are answers to bad input, and a flood of it must be cheap to refuse.
  constructor(message: string, options?: ErrorOptions) {
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(message, options)
    Error.stackTraceLimit = limit
  }
}

/** Bytes that are not what they claim to be, or that do not fit. */
export class WireError extends DnsError {
  override name = 'WireError'
}

/** Text that does not say what it should; the message tells what is right. */
export class TextError extends DnsError {
  override name = 'TextError'
}
