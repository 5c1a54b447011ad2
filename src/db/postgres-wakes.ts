import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Wakes } from './wakes.ts'

const channel = 'nameplane'
const payloadBytes = 7000

/** Carries wakes between processes by NOTIFY: sent after the commit and gathered, since NOTIFY inside one makes commits queue. */
export class PostgresWakes {
  readonly #wakes = new Wakes()
  readonly #url: string
  readonly #send: (text: string, values: string[]) => Promise<unknown>
  readonly #self = crypto.randomUUID()
  #outbox: string[] = []
  #sending: Promise<void> | undefined
  #client: pg.Client | undefined
  #following = false
  #closed = false

  constructor(url: string, send: (text: string, values: string[]) => Promise<unknown>) {
    this.#url = url
    this.#send = send
  }

  tell(topics: readonly string[]): void {
    if (topics.length === 0 || this.#closed) return
    this.#wakes.tell(topics)
    this.#outbox.push(...topics)
    this.#sending ??= this.#flush()
  }

  follow(listener: (topics: readonly string[]) => void): () => void {
    if (!this.#following) {
      this.#following = true
      void this.#listen()
    }
    return this.#wakes.follow(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#sending
    await this.#client?.end().catch(() => {})
  }

  async #flush(): Promise<void> {
    await sleep(1)
    while (this.#outbox.length > 0) {
      const topics = new Set<string>()
      let size = this.#self.length
      while (this.#outbox.length > 0 && size + this.#outbox[0]!.length < payloadBytes) {
        const topic = this.#outbox.shift()!
        topics.add(topic)
        size += topic.length + 1
      }
      // A hint that does not arrive is made good by polling.
      await this.#send('select pg_notify($1, $2)', [channel, [this.#self, ...topics].join(',')]).catch(() => {})
    }
    this.#sending = undefined
  }

  async #listen(): Promise<void> {
    for (let pause = 50; !this.#closed; pause = Math.min(pause * 2, 5000)) {
      const client = new pg.Client({
        connectionString: this.#url,
        keepAlive: true,
        application_name: 'nameplane wakes',
      })
      this.#client = client
      const ended = new Promise<void>((resolve) => {
        client.on('end', resolve)
        client.on('error', () => resolve())
      })
      client.on('notification', ({ payload }) => {
        const [from, ...topics] = (payload ?? '').split(',')
        if (from !== this.#self) this.#wakes.tell(topics)
      })
      try {
        await client.connect()
        await client.query(`listen ${channel}`)
        pause = 50
        await ended
      } catch {
        // The server is away; polling goes on, and so does trying to listen.
      }
      await client.end().catch(() => {})
      if (!this.#closed) await sleep(pause)
    }
  }
}
