import type { Logger } from 'pino'
import { type Listener, listenDgram } from './udp-dgram.ts'
import { FfiUnavailable, startUdpThreads, type UdpThreads, type UdpThreadsOptions } from './udp-ffi.ts'

/** `auto` takes batches where they are to be had; `ffi` insists on them. */
export type UdpMode = 'auto' | 'ffi' | 'dgram'

/** Serves UDP in batches if it can, else through `node:dgram` on this thread, and says so. */
export async function listenUdp(mode: UdpMode, options: UdpThreadsOptions, log: Logger): Promise<UdpThreads> {
  if (mode === 'dgram') return overDgram(options)
  try {
    return await startUdpThreads(options)
  } catch (error) {
    if (mode === 'ffi' || !(error instanceof FfiUnavailable)) throw error
    log.warn(`UDP goes through node:dgram, which is several times slower: ${error.message}`)
    return overDgram(options)
  }
}

async function overDgram({ listen, server }: UdpThreadsOptions): Promise<UdpThreads> {
  const listeners: Listener[] = []
  const close = async () => {
    await Promise.all(listeners.map((listener) => listener.close()))
  }
  try {
    for (const address of listen) listeners.push(await listenDgram(address, server))
  } catch (error) {
    await close()
    throw error
  }
  return {
    addresses: listeners.map(({ address }) => address),
    // What is answered here is counted by the server itself, and it sees arena and keys as they are.
    counters: [],
    updateArena: () => {},
    updateKeys: () => {},
    close,
  }
}
