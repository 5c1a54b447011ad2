import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { GroupCommit } from './sqlite-group-commit.ts'
import type { Wakes } from './wakes.ts'

/** What the thread that has the store open tells one that shares it: that it may write now, or what was woken. */
export type Told = { readonly kind: 'go' } | { readonly kind: 'woken'; readonly topics: readonly string[] }
/** What the other asks and tells: for its turn to write, and that it is over. */
export type Asked = { readonly kind: 'ask' } | { readonly kind: 'done'; readonly topics: readonly string[] }

/** A thread's end of it: where it asks, and a cell that is 1 once somebody waits for its turn to end. */
export type TurnEnd = { readonly port: MessagePort; readonly awaited: Int32Array }

/** Gives a thread turns to write with a connection of its own, and passes on what each wakes; returns that thread's end of it. */
export function giveTurns(commits: GroupCommit, wakes: Wakes, onEnd: () => void): TurnEnd {
  const { port1: port, port2: theirs } = new MessageChannel()
  const tell = (message: Told) => port.postMessage(message)
  const awaited = new Int32Array(new SharedArrayBuffer(4))
  let end = () => {}
  let own = false
  let closed = false
  const unfollow = wakes.follow((topics) => {
    if (!own) tell({ kind: 'woken', topics })
  })
  port.on('message', (message: Asked) => {
    if (message.kind === 'ask') {
      commits.turn((hasWaiting) => {
        const { promise, resolve } = Promise.withResolvers<void>()
        if (closed) return Promise.resolve()
        end = resolve
        Atomics.store(awaited, 0, hasWaiting ? 1 : 0)
        tell({ kind: 'go' })
        return promise
      }, awaited)
      return
    }
    end()
    own = true
    wakes.tell(message.topics)
    own = false
  })
  // A thread that dies in its turn leaves a transaction that its connection rolls back.
  port.on('close', () => {
    unfollow()
    closed = true
    end()
    onEnd()
  })
  port.unref()
  return { port: theirs, awaited }
}
