import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands before the service and notes what it is asked. */
export type Recorder = {
  readonly url: string
  /** The methods and paths since the last call. */
  take(): string[]
  close(): Promise<void>
}

/** Starts one on a free port; `refuses` names requests that are answered 500 without reaching the service. */
export async function startRecorder(
  target: string,
  refuses: (request: string) => boolean = () => false,
): Promise<Recorder> {
  let seen: string[] = []
  const server = createServer(async (request, response) => {
    const asked = `${request.method} ${request.url}`
    seen.push(asked)
    if (refuses(asked)) {
      response.writeHead(500, { 'Content-Type': 'application/json' }).end('{"message": "not now"}')
      return
    }
    const body = Buffer.concat(await Array.fromAsync(request))
    const headers = Object.entries(request.headers).filter(([name]) => /^(content-type|x-)/.test(name))
    const answer = await fetch(target + request.url, {
      method: request.method!,
      headers: Object.fromEntries(headers) as Record<string, string>,
      ...(body.length > 0 && { body }),
    })
    response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? 'text/plain' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = seen
      seen = []
      return taken
    },
    close: () => new Promise((done) => server.close(() => done())),
  }
}
