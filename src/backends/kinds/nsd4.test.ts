import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { targetOf, zoneOf } from '../../../test/support/targets.ts'
import { testCertificate } from '../../../test/support/test-certificate.ts'
import { type Driver, type Target, Unreachable } from '../kind.ts'
import { nsd4 } from './nsd4.ts'

const zones = ['a.example.', 'b.example.'].map(zoneOf)
const never = new AbortController().signal
const added = 'added: a.example.\nadded: b.example.\nadded 2 zones\n'

let folder: string
const file = (name: string) => join(folder, name)
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'nameplane-nsd4-'))
  writeFileSync(file('cert.pem'), testCertificate.cert)
  writeFileSync(file('key.pem'), testCertificate.key)
})
after(() => rmSync(folder, { recursive: true, force: true }))

test('[W45] a command is one line on a connection of its own, and zones are lines with one space in them', async () => {
  await withTls(replying(added), async (open, heard) => {
    deepEqual(await open().addZones(zones, never), [])
    deepEqual(heard(), ['NSDCT1 addzones\na.example. slave\nb.example. slave\n\x04\n'])
  })
  await withTls(replying('removed: a.example.\nremoved: b.example.\ndeleted 2 zones\n'), async (open, heard) => {
    deepEqual(await open().dropZones(zones, never), [])
    deepEqual(await open().dropZones([], never), [])
    deepEqual(heard(), [
      'NSDCT1 zonestatus a.example.\n',
      'NSDCT1 zonestatus b.example.\n',
      'NSDCT1 delzones\na.example.\nb.example.\n\x04\n',
    ])
  })
})

test('[W48] a certificate that is given itself needs no name; another must name the host unless that is turned off', async () => {
  await withTls(replying(added), async (open) => {
    deepEqual(await open().addZones(zones, never), [], 'given itself, though it does not name 127.0.0.1')
    const { ca_certs: _, ...unpinned } = optionsFor(0)
    await rejects(open(unpinned, ['ca_certs']).addZones(zones, never), /do not trust: no ca_certs is given/)
    deepEqual(await open({ verify_ssl: false }).addZones(zones, never), [])
  })
})

test('[W48] a server that hangs, before or after the command, is left after the timeout', async () => {
  await withTcp(
    () => {},
    async (open) => {
      await unreachable(open({ timeout: 0.2 }), /does not finish setting up the connection within 0.2 seconds/)
    },
  )
  await withTls(
    () => {},
    async (open) => {
      await unreachable(open({ timeout: 0.2 }), /takes our command and does not answer within 0.2 seconds/)
    },
  )
})

test('[W48] a server that speaks something else, closes, or is not there is told as such', async () => {
  await withTcp(
    (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    async (open) => {
      await unreachable(open(), /does not speak TLS with us/)
    },
  )
  await withTcp(
    (socket) => socket.destroy(),
    async (open) => {
      await unreachable(open(), /NSD at 127\.0\.0\.1:\d+ (broke|closes) the connection/)
    },
  )
  await withTls(
    (socket) => socket.destroy(),
    async (open) => {
      await unreachable(open(), /closes the connection without an answer: it does not take our certificate/)
    },
  )
  await withTls(replying('added: a.example.\nadd'), async (open) => {
    await unreachable(open(), /ended in the middle of its answer/)
  })
  await withTls(replying('added: a.example.\n'), async (open) => {
    await unreachable(open(), /answered addzones with: added: a\.example\.$/)
  })
  const gone = await withTcp(
    () => {},
    async (open) => open(),
  )
  await unreachable(gone, /cannot be reached at 127\.0\.0\.1:\d+: the connection is refused/)
  await unreachable(
    nsd4.open(targetOf('nsd4', { ...optionsFor(1), control_host: '/no/such.sock' })),
    /the socket is not there/,
  )
})

test('[W48] an answer without end is left: a line that is too long at once, drops that keep coming after a while', async () => {
  await withTls(flooding('x'.repeat(65_536)), async (open) => {
    await unreachable(open(), /sends an answer that is too long/)
  })
  await withTls(dripping(), async (open) => {
    await unreachable(open({ timeout: 0.2 }), /has not come to the end of its answer in 2\.4\d* seconds/)
  })
})

test('[W48] who waits no more is let go at once, and so is whoever waits when the driver is closed', async () => {
  await withTls(
    () => {},
    async (open) => {
      const start = performance.now()
      await rejects(open().addZones(zones, AbortSignal.timeout(50)), { name: 'TimeoutError' })
      await rejects(open().check(AbortSignal.timeout(50)), { name: 'TimeoutError' })
      const driver = open()
      const waiting = rejects(driver.listZones!(never), /was closed/)
      setTimeout(() => void driver.close(), 50)
      await waiting
      ok(performance.now() - start < 5000)
    },
  )
})

test('[W48] files that were wrong are read again once they are mended', async () => {
  await withTls(replying(added), async (open) => {
    const driver = open({ certfile: file('later.pem') })
    await unreachable(driver, /^certfile .*later\.pem is not there/)
    writeFileSync(file('later.pem'), testCertificate.cert)
    deepEqual(await driver.addZones(zones, never), [])
  })
})

test('[W49] a check of what is not NSD says so', async () => {
  await withTls(replying('hello\n'), async (open) => {
    const [finding, ...rest] = await open().check(never)
    equal(finding!.level, 'error')
    match(finding!.what, /is not NSD$/)
    deepEqual(rest, [])
  })
})

type Heard = () => readonly string[]
type Use<T> = (open: (options?: Target['options'], without?: readonly string[]) => Driver, heard: Heard) => Promise<T>

const optionsFor = (port: number): Target['options'] => ({
  control_host: '127.0.0.1',
  control_port: port,
  certfile: file('cert.pem'),
  keyfile: file('key.pem'),
  ca_certs: file('cert.pem'),
})

/** Whatever is asked of the driver, it says that the server cannot be spoken to. */
async function unreachable(driver: Driver, message: RegExp): Promise<void> {
  await rejects(driver.addZones(zones, never), (error) => {
    ok(error instanceof Unreachable)
    match(error.message, message)
    return true
  })
}

const replying = (text: string) => (socket: Socket) => socket.once('data', () => socket.end(text))

const flooding = (text: string) => (socket: Socket) => {
  const more = () => {
    while (socket.writable && socket.write(text));
  }
  socket.on('drain', more).once('data', more)
}

const dripping = () => (socket: Socket) => {
  const timer = setInterval(() => socket.write('x\n'), 50)
  socket.once('close', () => clearInterval(timer))
}

const withTcp = <T>(serve: (socket: Socket) => void, use: Use<T>): Promise<T> => withServer(createServer, serve, use)

const withTls = <T>(serve: (socket: Socket) => void, use: Use<T>): Promise<T> =>
  withServer(
    (listener) => createTlsServer({ ...testCertificate, requestCert: true, rejectUnauthorized: false }, listener),
    serve,
    use,
  )

async function withServer<T>(
  create: (listener: (socket: Socket) => void) => ReturnType<typeof createServer>,
  serve: (socket: Socket) => void,
  use: Use<T>,
): Promise<T> {
  const heard: string[] = []
  const sockets = new Set<Socket>()
  const drivers: Driver[] = []
  const server = create((socket) => {
    sockets.add(socket)
    const at = heard.push('') - 1
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      heard[at] += String(chunk)
    })
    serve(socket)
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const open: Parameters<Use<T>>[0] = (options = {}, without = []) => {
    const all = { ...optionsFor(port), ...options, control_host: '127.0.0.1', control_port: port }
    const kept = Object.fromEntries(Object.entries(all).filter(([name]) => !without.includes(name)))
    const driver = nsd4.open(targetOf('nsd4', kept))
    drivers.push(driver)
    return driver
  }
  try {
    return await use(open, () => heard)
  } finally {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}
