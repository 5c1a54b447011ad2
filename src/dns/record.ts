/** One record as it travels: `rdata` is the uncompressed wire form. */
export type ResourceRecord = {
  readonly name: string
  readonly type: number
  readonly class: number
  readonly ttl: number
  readonly rdata: Uint8Array
}

/** All records of class IN with one name and type; they share a TTL (RFC 2181 5.2). */
export type RRset = {
  readonly name: string
  readonly type: number
  readonly ttl: number
  readonly rdatas: readonly Uint8Array[]
}
