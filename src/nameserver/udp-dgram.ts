import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { addressOctets } from './client-address.ts'
import { handle } from './handle.ts'
import type { ServerState } from './server-state.ts'

/** An address and port to listen on or listened on. */
export type Listen = { readonly host: string; readonly port: number }

export type Listener = { readonly address: Listen; close(): Promise<void> }

const RECEIVE_BUFFER = 4 * 1024 * 1024

/** UDP behind `node:dgram`, for where batched system calls are not to be had. */
export async function listenDgram({ host, port }: Listen, server: ServerState): Promise<Listener> {
  const v6 = host.includes(':')
  const socket = createSocket({ type: v6 ? 'udp6' : 'udp4', ipv6Only: v6, recvBufferSize: RECEIVE_BUFFER })
  // Errors of single datagrams, a client's port being closed for one, are no reason to stop.
  const failed = (error: unknown) => {
    if (error) server.counters.event('send_failed')
  }
  socket.bind(port, host)
  await once(socket, 'listening')
  socket.on('error', failed)
  socket.on('message', (bytes, from) => {
    answer(bytes, from, socket, server, failed).catch(server.report)
  })
  return {
    address: { host, port: socket.address().port },
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

async function answer(
  bytes: Uint8Array,
  from: RemoteInfo,
  socket: Socket,
  server: ServerState,
  failed: (error: unknown) => void,
): Promise<void> {
  if (from.port === 0) return
  const client = { address: addressOctets(from.address), port: from.port }
  const handled = handle(bytes, { client, transport: 'udp', now: new Date() }, server)
  const reply = handled === undefined || handled instanceof Uint8Array ? handled : await firstOf(handled)
  if (reply !== undefined) socket.send(reply, from.port, from.address, failed)
}

/** The first message of a stream, which is all that UDP carries. */
export async function firstOf(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  for await (const message of stream) return message
  return undefined
}
