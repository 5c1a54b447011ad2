import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { ArenaReader } from '../../src/nameserver/arena/reader.ts'
import type { ArenaHandles } from '../../src/nameserver/arena/space.ts'
import type { ArenaWriter } from '../../src/nameserver/arena/writer.ts'

/** What a thread needs to read an arena and to hear of its growth; `port` must be in the transfer list. */
export type ArenaLink = { readonly handles: ArenaHandles; readonly port: MessagePort }

/** Tells the threads that read an arena of its growth. Give `grown` to the writer as its `onGrow`. */
export class ArenaLinks {
  readonly #ports = new Set<MessagePort>()

  readonly grown = (handles: ArenaHandles): void => {
    for (const port of this.#ports) port.postMessage(handles)
  }

  /** A link for one more thread; it ends when that thread does. */
  connect(writer: ArenaWriter): ArenaLink {
    const { port1, port2 } = new MessageChannel()
    this.#ports.add(port1)
    port1.once('close', () => this.#ports.delete(port1))
    port1.unref()
    return { handles: writer.handles, port: port2 }
  }

  close(): void {
    for (const port of this.#ports) port.close()
  }
}

/** A reader for this thread, which takes new handles from the link whenever it meets memory it does not know. */
export function readerFrom({ handles, port }: ArenaLink): ArenaReader {
  return new ArenaReader(handles, () => {
    let newest: ArenaHandles | undefined
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      newest = next.message as ArenaHandles
    return newest
  })
}
