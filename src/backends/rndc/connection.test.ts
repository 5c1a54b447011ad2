import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { Mendable } from '../mendable.ts'
import { RndcConnection } from './connection.ts'
import { decodeMessage, encodeMessage, MessageSplitter, type RndcKey, type Table } from './protocol.ts'

const key: RndcKey = { name: 'k', algorithm: 'hmac-sha256', secret: Buffer.from('secret') }
const signal = AbortSignal.timeout(30_000)

/** A server that says what the test wants, and a connection to it. */
async function serving(t: TestContext, onConnection: (socket: Socket) => void): Promise<RndcConnection> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const connection = new RndcConnection({ host: '127.0.0.1', port, timeout: 500, key: async () => key, now: Date.now })
  t.after(async () => {
    await connection.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return connection
}

/** Answers each command by what `reply` makes of it; undefined closes the connection. */
function speaking(socket: Socket, reply: (command: string, control: Map<string, string>) => Table | undefined): void {
  const splitter = new MessageSplitter()
  socket.on('data', (chunk: Buffer) => {
    for (const bytes of splitter.push(chunk)) {
      const message = decodeMessage(bytes, key)
      const control = new Map(message.get('_ctrl') as Map<string, string>)
      const answer = reply((message.get('_data') as Map<string, string>).get('type')!, control)
      if (answer === undefined) socket.destroy()
      else socket.write(encodeMessage(answer, key))
    }
  })
}

const answerTo = (control: Map<string, string>, data: readonly (readonly [string, string])[] = []): Table =>
  new Map<string, Table>([
    ['_ctrl', new Map([...control, ['_rpl', '1'], ['_nonce', '7']])],
    ['_data', new Map([['result', '0'], ...data])],
  ])

test('[W30] a connection that was closed as a command came is opened anew, and the command given again', async (t) => {
  let connections = 0
  const connection = await serving(t, (socket) => {
    const mine = ++connections
    speaking(socket, (command, control) => {
      if (command === 'second' && mine === 1) return undefined
      equal(control.get('_nonce'), command === 'null' ? undefined : '7')
      return answerTo(control, [['text', `${command} ${mine}`]])
    })
  })
  equal((await connection.run('first', signal)).text, 'first 1')
  equal((await connection.run('second', signal)).text, 'second 2')
  equal((await connection.run('third', signal)).text, 'third 2')
})

test('[W30] a command that ends every connection is given up after the second', async (t) => {
  let commands = 0
  const connection = await serving(t, (socket) =>
    speaking(socket, (command, control) => {
      if (command === 'null' || command === 'first') return answerTo(control)
      commands++
      return undefined
    }),
  )
  await connection.run('first', signal)
  await rejects(connection.run('deadly', signal), /named closed the connection before it answered/)
  equal(commands, 2)
})

test('[W39] an answer to another command, or one without a nonce, is not believed', async (t) => {
  const stale = await serving(t, (socket) =>
    speaking(socket, (command, control) => answerTo(command === 'null' ? control : control.set('_ser', '1'))),
  )
  await rejects(stale.run('status', signal), /the answer is to another command/)
  const bare = await serving(t, (socket) =>
    speaking(socket, (_, control) => new Map([['_ctrl', new Map([...control, ['_rpl', '1']])]])),
  )
  await rejects(bare.run('status', signal), /named gave no nonce/)
})

test('[W37] what named says of a command that it refused is kept', async (t) => {
  const connection = await serving(t, (socket) =>
    speaking(socket, (command, control) =>
      answerTo(
        control,
        command === 'null'
          ? []
          : [
              ['result', '23'],
              ['err', 'not found'],
              ['text', 'no zone'],
            ],
      ),
    ),
  )
  deepEqual(await connection.run('showzone x', signal), { error: 'not found', text: 'no zone' })
})

test('[W36] whatever a server sends, the command ends in time with an error for people', async (t) => {
  let bytes = Buffer.alloc(0)
  const connection = await serving(t, (socket) => {
    socket.resume()
    socket.end(bytes)
  })
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (octets) => {
      bytes = Buffer.from(octets)
      await rejects(connection.run('status', signal), (error) => error instanceof Mendable && error.mend !== '')
    }),
    { numRuns: 50 },
  )
  const silent = await serving(t, (socket) => socket.resume())
  const start = performance.now()
  await rejects(silent.run('status', signal), /no answer over rndc at 127\.0\.0\.1 port \d+ within 0\.5 seconds/)
  ok(performance.now() - start < 5000)
})

test('[W36] something that speaks no rndc is told as such', async (t) => {
  const connection = await serving(t, (socket) => {
    socket.resume()
    socket.write('SSH-2.0-OpenSSH\r\n')
  })
  const error = await connection.run('status', signal).catch((reason: Error) => reason)
  match((error as Error).message, /does not speak rndc as it should: a message must have at most/)
})

test('[W84] a host name that cannot be resolved is told so', async () => {
  const connection = new RndcConnection({
    host: 'no-such-host..invalid',
    port: 953,
    timeout: 5000,
    key: async () => key,
    now: Date.now,
  })
  const error = await connection.run('status', signal).catch((reason: Error) => reason)
  ok(error instanceof Mendable)
  match(error.mend, /^the name cannot be resolved: /)
  await connection.close()
})
