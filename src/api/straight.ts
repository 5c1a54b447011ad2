import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Asked } from './request.ts'

/** Answers a request, whatever comes of it. */
export type Answer = (asked: Asked, response: ServerResponse) => Promise<void>

type Fork = {
  readonly words: Map<string, Fork>
  /** What follows an id, and the name of that. */
  id?: { readonly name: string; readonly next: Fork }
  answer?: Answer
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * Most requests are GETs with nothing unusual about them. They go straight to their route, for what a framework does
 * first costs more than to find them a pool; whatever is not as plain is left to it.
 */
export class StraightGets {
  readonly #root: Fork = { words: new Map() }

  /** Adds a route by its path, with the names of ids in braces. */
  add(path: string, answer: Answer): void {
    let fork = this.#root
    for (const segment of path.split('/')) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1]
      if (name !== undefined && fork.id !== undefined && fork.id.name !== name)
        throw new Error(`${path}: a second name for an id`)
      const next = (name === undefined ? fork.words.get(segment) : fork.id?.next) ?? { words: new Map() }
      if (name === undefined) fork.words.set(segment, next)
      else fork.id = { name, next }
      fork = next
    }
    fork.answer = answer
  }

  /** Answers a request if it is one of those. */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    const { method, url = '', headers, socket } = request
    if (method !== 'GET' || !isPlain(headers)) return false
    const params: Record<string, string> = {}
    const answer = this.#find(url, params)
    if (answer === undefined) return false
    void answer({ id: newRequestId(), url, headers, params, socket }, response)
    return true
  }

  #find(url: string, params: Record<string, string>): Answer | undefined {
    const end = url.indexOf('?')
    let fork: Fork | undefined = this.#root
    for (const segment of (end < 0 ? url : url.slice(0, end)).split('/')) {
      const next: Fork | undefined = fork.words.get(segment)
      if (next === undefined && fork.id !== undefined && uuid.test(segment)) {
        params[fork.id.name] = segment
        fork = fork.id.next
      } else if (next === undefined) return undefined
      else fork = next
    }
    return fork.answer
  }
}

const isPlain = (headers: IncomingHttpHeaders): boolean =>
  headers.host !== undefined &&
  headers.origin === undefined &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined

/** A name for a request, by which its caller and the log can speak of it. */
export const newRequestId = (): string => `req-${crypto.randomUUID()}`
