import type { Libc } from './libc.ts'

/** How many datagrams are received and sent at once. */
export const SLOTS = 64
/** How many octets of a request are received, and how many a reply may have. */
export const SLOT = 4096
/** How many octets a socket address takes, and where in it an address of each family stands. */
export const ADDRESS = 32
export const IPV4_AT = 4
export const IPV6_AT = 8
const CONTROL = 64
const IOV = 16
const MESSAGE = 64

// struct mmsghdr on 64-bit Linux, in words of 32 bits.
const NAME_LENGTH = 2
const CONTROL_AT = 8
const CONTROL_LENGTH = 10
const LENGTH = 14
const WORDS = MESSAGE / 4

const WAIT_FOR_ONE = 0x10000
const DONT_WAIT = 0x40
const AF_INET6 = 10
// Within a control message: header of 16 octets, then the interface's number first (IPv4) or last (IPv6).
const INTERFACE_V4 = 16
const INTERFACE_V6 = 16 + 16

const sizes = [SLOTS * SLOT, SLOTS * SLOT, SLOTS * ADDRESS, SLOTS * CONTROL, SLOTS * IOV, SLOTS * IOV, SLOTS * MESSAGE]

// What the kernel writes to must never be collected: a batch lives as long as its thread.
const kept: unknown[] = []

/** The memory of one thread's system calls, laid out once and used for every batch. */
export class Batch {
  readonly requests: Uint8Array
  readonly replies: Uint8Array
  /** Socket addresses of the senders, 32 octets each. */
  readonly addresses: Uint8Array
  readonly #libc: Libc
  readonly #controls: Uint8Array
  readonly #received: Uint32Array
  readonly #sent: Uint32Array
  readonly #sentLengths: Uint32Array
  readonly #receivedAt: bigint
  readonly #sentAt: bigint[]
  readonly #addressWords: Uint32Array
  readonly #controlWords: Uint32Array
  #used = SLOTS
  #replies = 0

  constructor(libc: Libc) {
    this.#libc = libc
    const memory = new ArrayBuffer(sizes.reduce((a, b) => a + b) + SLOTS * MESSAGE)
    kept.push(memory, this)
    const base = libc.pointerTo(memory)
    const at: number[] = [0]
    for (const size of sizes) at.push(at.at(-1)! + size)
    const [requests, replies, addresses, controls, receiveIovs, sendIovs, received, sent] = at as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    this.requests = new Uint8Array(memory, requests, SLOTS * SLOT)
    this.replies = new Uint8Array(memory, replies, SLOTS * SLOT)
    this.addresses = new Uint8Array(memory, addresses, SLOTS * ADDRESS)
    this.#controls = new Uint8Array(memory, controls, SLOTS * CONTROL)
    this.#received = new Uint32Array(memory, received, SLOTS * WORDS)
    this.#sent = new Uint32Array(memory, sent, SLOTS * WORDS)
    this.#sentLengths = new Uint32Array(memory, sendIovs, (SLOTS * IOV) / 4)
    const pointers = new BigUint64Array(memory)
    const pointer = (offset: number) => base + BigInt(offset)
    const put = (offset: number, value: bigint) => {
      pointers[offset / 8] = value
    }
    this.#addressWords = new Uint32Array(SLOTS * 2)
    this.#controlWords = new Uint32Array(SLOTS * 2)
    const addressPointers = new BigUint64Array(this.#addressWords.buffer)
    const controlPointers = new BigUint64Array(this.#controlWords.buffer)
    for (let i = 0; i < SLOTS; i++) {
      addressPointers[i] = pointer(addresses + i * ADDRESS)
      controlPointers[i] = pointer(controls + i * CONTROL)
      put(receiveIovs + i * IOV, pointer(requests + i * SLOT))
      put(receiveIovs + i * IOV + 8, BigInt(SLOT))
      put(sendIovs + i * IOV, pointer(replies + i * SLOT))
      for (const [message, iov] of [
        [received + i * MESSAGE, receiveIovs + i * IOV],
        [sent + i * MESSAGE, sendIovs + i * IOV],
      ] as const) {
        put(message, addressPointers[i]!)
        put(message + 16, pointer(iov))
        put(message + 24, 1n)
        put(message + 32, controlPointers[i]!)
      }
    }
    this.#receivedAt = pointer(received)
    this.#sentAt = Array.from({ length: SLOTS }, (_, i) => pointer(sent + i * MESSAGE))
  }

  /** Receives what is there, at least one datagram or until the socket's time is over; -1 for none. */
  receive(fd: number, wait: boolean): number {
    const received = this.#received
    for (let i = 0; i < this.#used; i++) {
      received[i * WORDS + NAME_LENGTH] = ADDRESS
      received[i * WORDS + CONTROL_LENGTH] = CONTROL
    }
    const count = this.#libc.recvmmsg(fd, this.#receivedAt, SLOTS, wait ? WAIT_FOR_ONE : DONT_WAIT, 0n)
    this.#used = Math.max(count, 0)
    this.#replies = 0
    return count
  }

  /** How many octets the request in a slot has, cut ones included as far as they came. */
  requestLength(slot: number): number {
    return this.#received[slot * WORDS + LENGTH]!
  }

  isIpv6(slot: number): boolean {
    return this.addresses[slot * ADDRESS]! + this.addresses[slot * ADDRESS + 1]! === AF_INET6
  }

  /** The octets of the address that the request in a slot came from. */
  addressOf(slot: number): Uint8Array {
    const at = slot * ADDRESS
    return this.isIpv6(slot)
      ? this.addresses.slice(at + IPV6_AT, at + IPV6_AT + 16)
      : this.addresses.slice(at + IPV4_AT, at + IPV4_AT + 4)
  }

  /** Where the next reply is to be put. */
  get replyAt(): number {
    return this.#replies * SLOT
  }

  /** Puts the `length` octets at `replyAt` on the list, to go to the sender of the request in a slot, from the address it was sent to. */
  queue(slot: number, length: number): void {
    const sent = this.#sent
    const received = slot * WORDS
    const at = this.#replies * WORDS
    sent[at] = this.#addressWords[slot * 2]!
    sent[at + 1] = this.#addressWords[slot * 2 + 1]!
    sent[at + NAME_LENGTH] = this.#received[received + NAME_LENGTH]!
    const control = this.#received[received + CONTROL_LENGTH]!
    if (control > 0) {
      sent[at + CONTROL_AT] = this.#controlWords[slot * 2]!
      sent[at + CONTROL_AT + 1] = this.#controlWords[slot * 2 + 1]!
      // The way back need not be through the interface the request came by.
      const unset = slot * CONTROL + (this.isIpv6(slot) ? INTERFACE_V6 : INTERFACE_V4)
      this.#controls.fill(0, unset, unset + 4)
    }
    sent[at + CONTROL_LENGTH] = control
    this.#sentLengths[this.#replies * (IOV / 4) + 2] = length
    this.#replies++
  }

  /** Sends the replies on the list; returns how many could not be sent. */
  send(fd: number): number {
    const count = this.#replies
    let failed = 0
    for (let done = 0; done < count; ) {
      const sent = this.#libc.sendmmsg(fd, this.#sentAt[done]!, count - done, DONT_WAIT)
      // Whatever is wrong (no buffers, a client that is gone, no route) is wrong with the first: the others go on.
      if (sent <= 0) failed++
      done += Math.max(sent, 1)
    }
    this.#replies = 0
    return failed
  }

  /** What `restore` needs to answer the request in a slot later. */
  route(slot: number): Uint8Array {
    const out = new Uint8Array(8 + ADDRESS + CONTROL)
    out[0] = this.#received[slot * WORDS + NAME_LENGTH]!
    out[1] = this.#received[slot * WORDS + CONTROL_LENGTH]!
    out.set(this.addresses.subarray(slot * ADDRESS, (slot + 1) * ADDRESS), 8)
    out.set(this.#controls.subarray(slot * CONTROL, (slot + 1) * CONTROL), 8 + ADDRESS)
    return out
  }

  /** Makes the first slot that of an earlier request, and the list empty. */
  restore(route: Uint8Array): void {
    this.#received[NAME_LENGTH] = route[0]!
    this.#received[CONTROL_LENGTH] = route[1]!
    this.addresses.set(route.subarray(8, 8 + ADDRESS))
    this.#controls.set(route.subarray(8 + ADDRESS))
    this.#used = Math.max(this.#used, 1)
    this.#replies = 0
  }
}
