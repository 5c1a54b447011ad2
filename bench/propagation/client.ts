import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** An answer, as text, and when it had arrived. */
export type Answer = { readonly body: string; readonly at: number }

const headers = 'Host: bench\r\nContent-Type: application/json\r\nX-Roles: admin\r\nX-Auth-All-Projects: true\r\n'

/** Asks our API over one kept connection, one request at a time, with little work of its own: it shares the cores with those it measures. */
export class Client {
  readonly #socket: Socket
  #received: Buffer[] = []
  #take: (answer: Answer) => void = () => {}
  #fail: (error: Error) => void = () => {}

  static async to(url: string): Promise<Client> {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    return new Client(socket)
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the service has closed the connection')))
  }

  /** The answer, which must be a success. */
  send(method: string, path: string, body?: object): Promise<Answer> {
    const text = body === undefined ? '' : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      this.#take = resolve
      this.#fail = reject
      const head = `${method} ${path} HTTP/1.1\r\n${headers}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n`
      this.#socket.write(head + text)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    const at = performance.now()
    this.#received.push(chunk)
    const text = Buffer.concat(this.#received).toString('latin1')
    const end = text.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = text.slice(0, end)
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
    if (text.length < end + 4 + length) return
    this.#received = []
    const body = text.slice(end + 4)
    if (head[9] === '2') this.#take({ body, at })
    else this.#fail(new Error(`${head.split('\r\n')[0]}: ${body}`))
  }
}
