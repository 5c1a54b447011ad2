import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { createServer as createTcpServer, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { targetOf, zoneOf } from '../../../test/support/targets.ts'
import { testCertificate } from '../../../test/support/test-certificate.ts'
import { type Driver, type Target, Unreachable } from '../kind.ts'
import { pdns4 } from './pdns4.ts'

const zones = ['a.example.', '0/25.2.0.192.in-addr.arpa.'].map(zoneOf)
const never = new AbortController().signal
const masters = [{ host: '127.0.0.1', port: 5354 }]

let folder: string
const file = (name: string) => join(folder, name)
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'nameplane-pdns4-'))
  writeFileSync(file('ca.pem'), testCertificate.cert)
})
after(() => rmSync(folder, { recursive: true, force: true }))

test('[W50] a zone is made as a secondary of the masters, then fetched; its id has what paths cannot have as = and hex', async () => {
  await withHttp(replying(201, {}), async (open, heard) => {
    deepEqual(await open().addZones(zones, never), [])
    deepEqual(heard().toSorted(), [
      'POST /api/v1/servers/localhost/zones {"name":"0/25.2.0.192.in-addr.arpa.","kind":"Slave","masters":["127.0.0.1:5354"],"slave_tsig_key_ids":[]}',
      'POST /api/v1/servers/localhost/zones {"name":"a.example.","kind":"Slave","masters":["127.0.0.1:5354"],"slave_tsig_key_ids":[]}',
      'PUT /api/v1/servers/localhost/zones/0=2F25.2.0.192.in-addr.arpa./axfr-retrieve ',
      'PUT /api/v1/servers/localhost/zones/a.example./axfr-retrieve ',
    ])
  })
})

test('[W50] an endpoint may have a path before that of the API, and the path of the API itself', async () => {
  for (const path of ['/', '/dns/', '/dns/api/v1', '/api/v1/servers/localhost/']) {
    await withHttp(replying(204), async (open, heard, { endpoint }) => {
      deepEqual(await open({ api_endpoint: endpoint + path }).dropZones(zones.slice(0, 1), never), [])
      const prefix = path.startsWith('/dns') ? '/dns' : ''
      const at = `${prefix}/api/v1/servers/localhost/zones/a.example.`
      deepEqual(heard(), [`GET ${at}?rrsets=false `, `DELETE ${at} `])
    })
  }
})

test('[W50] at most eight calls are made at a time', async () => {
  const held: ServerResponse[] = []
  let most = 0
  const release = () => {
    for (const response of held.splice(0)) response.writeHead(204).end()
  }
  // Answers are held back until eight calls wait for them, and a little longer, so that a ninth could come.
  const holding: Serve = (_, response) => {
    most = Math.max(most, held.push(response))
    if (held.length === 8) setTimeout(release, 20)
  }
  await withHttp(holding, async (open) => {
    deepEqual(
      await open().dropZones(
        Array.from({ length: 48 }, (_, i) => zoneOf(`z${i}.example.`)),
        never,
      ),
      [],
    )
  })
  equal(most, 8)
})

test('[W52] what fails inside the server is tried again, one at a time, and told in the end if it stays', async () => {
  const calls = new Map<string, number>()
  const locked: Serve = (path, response) => {
    const count = (calls.get(path) ?? 0) + 1
    calls.set(path, count)
    if (count < 3 || path.endsWith('/b.example.')) response.writeHead(500).end('Internal Server Error')
    else response.writeHead(204).end()
  }
  await withHttp(locked, async (open) => {
    deepEqual(await open().dropZones(['a.example.', 'b.example.'].map(zoneOf), never), [
      { id: 'id of b.example.', reason: 'Internal Server Error (status 500)' },
    ])
  })
  deepEqual([...calls.values()], [5, 5, 3, 3])
})

test('[W51] a zone that cannot be looked at is not deleted', async () => {
  const serve: Serve = (path, response) => {
    if (path === '/api/v1/servers/localhost/zones') response.writeHead(409).end('Conflict')
    else response.writeHead(422, json).end('{"error":"no"}')
  }
  await withHttp(serve, async (open, heard) => {
    deepEqual(await open().addZones(zones.slice(0, 1), never), [{ id: zones[0]!.id, reason: 'no (status 422)' }])
    ok(!heard().some((call) => call.startsWith('DELETE')))
  })
})

test('[W52] a server without the API does not count as one without the zone', async () => {
  await withHttp(replying(404), async (open) => {
    await rejects(open().dropZones(zones, never), /^Unreachable: PowerDNS at \S+ has no API there$/)
    await rejects(open().addZones(zones, never), /has no API there$/)
    const [finding] = await open().check(never)
    match(finding!.what, /is not the API of a PowerDNS Authoritative Server$/)
  })
})

test('[W52] answers that PowerDNS does not give are told as such', async () => {
  const cases: readonly (readonly [Serve, RegExp])[] = [
    [replying(401), /refuses our api_token$/],
    [replying(302), /answers with status 302$/],
    [replying(503), /is behind something that answers with status 503$/],
    [(_, response) => response.end('<html>'), /answers with something that is not JSON$/],
    [(_, response) => response.end('{"no":"list"}'), /does not list its zones/],
    [(_, response) => void response.socket?.end('SSH-2.0\r\n'), /does not speak HTTP with us/],
    [(_, response) => void response.socket?.destroy(), /closes the connection without an answer/],
    [
      (_, response) => {
        response.writeHead(200, { 'Content-Length': 100 }).write('[')
        setTimeout(() => response.socket?.destroy(), 20)
      },
      /closes the connection without an answer/,
    ],
  ]
  for (const [serve, message] of cases) {
    await withHttp(serve, async (open) => {
      await rejects(open().listZones!(never), (error) => {
        ok(error instanceof Unreachable)
        match(error.message, message)
        return true
      })
    })
  }
})

test('[W52] no JSON that a server may send makes a driver fail otherwise than by a refusal', async () => {
  const bodies = [
    'null',
    '[]',
    '[null]',
    '[[]]',
    '{"error":[1]}',
    '{"errors":{"a":1}}',
    '"text"',
    '1',
    '{"kind":{}}',
    '{"serial":"x"}',
  ]
  for (const body of bodies) {
    for (const status of [200, 201, 409, 422]) {
      await withHttp(
        (_, response) => response.writeHead(status, json).end(body),
        async (open) => {
          const driver = open({ tsigkey_name: 'k' })
          const outcome = async (work: Promise<unknown>) => {
            const error = await work.then(
              () => undefined,
              (reason: unknown) => reason,
            )
            ok(error === undefined || error instanceof Unreachable, `${status} ${body}: ${String(error)}`)
          }
          await outcome(driver.addZones(zones, never))
          await outcome(open().addZones(zones, never))
          await outcome(driver.dropZones(zones, never))
          await outcome(driver.listZones!(never))
          await outcome(driver.check(never))
        },
      )
    }
  }
})

test('[W52] a server that hangs, drips or never ends is left', async () => {
  await withHttp(
    () => {},
    async (open) => {
      await rejects(open({ timeout: 0.2 }).addZones(zones, never), /does not answer within 0\.2 seconds$/)
    },
  )
  const drip: Serve = (_, response) => {
    const timer = setInterval(() => response.write(' '), 50)
    response.once('close', () => clearInterval(timer))
  }
  await withHttp(drip, async (open) => {
    await rejects(
      open({ timeout: 0.2 }).addZones(zones, never),
      /has not come to the end of its answer in 2\.4\d* seconds$/,
    )
  })
  const flood: Serve = (_, response) => {
    const more = () => {
      while (response.writable && response.write(Buffer.alloc(65_536, ' ')));
    }
    response.on('drain', more)
    more()
  }
  await withHttp(flood, async (open) => {
    await rejects(open().addZones(zones, never), /sends an answer of more than 1048576 octets$/)
  })
})

test('[W52] who waits no more is let go at once, and so is whoever waits when the driver is closed', async () => {
  await withHttp(
    () => {},
    async (open) => {
      const start = performance.now()
      await rejects(open().addZones(zones, AbortSignal.timeout(50)), { name: 'TimeoutError' })
      await rejects(open().check(AbortSignal.timeout(50)), { name: 'TimeoutError' })
      const driver = open()
      const waiting = rejects(driver.dropZones(zones, never), /was closed/)
      setTimeout(() => void driver.close(), 50)
      await waiting
      ok(performance.now() - start < 5000)
    },
  )
})

test('[W52] a connection that the server closed between two calls is made anew', async () => {
  const serve: Serve = (_, response) => {
    response.writeHead(204).end()
    const { socket } = response
    response.once('finish', () => setTimeout(() => socket?.resetAndDestroy(), 1))
  }
  await withHttp(serve, async (open) => {
    const driver = open()
    for (let i = 0; i < 40; i++) deepEqual(await driver.dropZones([zones[0]!], never), [])
  })
})

test('[W52] https is trusted by api_ca_cert, and must name the host', async () => {
  const trusting = { api_ca_cert: file('ca.pem') }
  await withHttps(async (open, _, { port }) => {
    const at = (host: string) => ({ api_endpoint: `https://${host}:${port}` })
    deepEqual(await open({ ...at('localhost'), ...trusting }).dropZones(zones, never), [])
    await rejects(
      open(at('127.0.0.1')).dropZones(zones, never),
      /has a certificate that we do not trust: DEPTH_ZERO_SELF/,
    )
    await rejects(
      open({ ...at('127.0.0.1'), ...trusting }).dropZones(zones, never),
      /has a certificate for another host/,
    )
    await rejects(
      open({ ...at('127.0.0.1'), api_ca_cert: file('none') }).dropZones(zones, never),
      /cannot be read: ENOENT/,
    )
    await rejects(open({ api_endpoint: `http://127.0.0.1:${port}` }).dropZones(zones, never), Unreachable)
  })
  await withHttp(replying(204), async (open, _, { port }) => {
    await rejects(
      open({ api_endpoint: `https://127.0.0.1:${port}` }).dropZones(zones, never),
      /does not speak TLS with us/,
    )
  })
})

test('[W52] a server that is not there, or an endpoint that is none, is told as such', async () => {
  const gone = await withHttp(replying(204), async (open) => open())
  await rejects(gone.dropZones(zones, never), /cannot be reached at http:\S+: the connection is refused$/)
  const wrong = pdns4.open(targetOf('pdns4', { api_endpoint: 'powerdns', api_token: 'x' }, { masters }))
  await rejects(wrong.dropZones(zones, never), /^Unreachable: api_endpoint powerdns is not the address of an API$/)
  const odd = pdns4.open(targetOf('pdns4', { api_endpoint: 'http://127.0.0.1:1', api_token: 'a\nb' }, { masters }))
  await rejects(odd.dropZones(zones, never), Unreachable)
})

test('[W54] a check tells of a server that is too old, and of one that is a recursor', async () => {
  const server =
    (fields: object): Serve =>
    (path, response) =>
      response
        .writeHead(200, json)
        .end(JSON.stringify(path.endsWith('/config') ? [{ name: 'slave', value: 'yes' }] : fields))
  await withHttp(server({ version: '4.6.2', daemon_type: 'authoritative' }), async (open) => {
    const [version, mode] = await open().check(never)
    deepEqual([version!.level, mode!.level], ['warning', 'ok'])
    match(version!.what, /^PowerDNS 4\.6\.2 answers at \S+, which is older than 4\.7$/)
  })
  await withHttp(server({ version: '5.0.1', daemon_type: 'authoritative' }), async (open) => {
    deepEqual(
      (await open().check(never)).map(({ level }) => level),
      ['ok', 'ok'],
    )
  })
  await withHttp(server({ version: '4.8.0', daemon_type: 'recursor' }), async (open) => {
    equal((await open().check(never))[0]!.level, 'error')
  })
})

type Serve = (path: string, response: ServerResponse) => void
type Open = (options?: Target['options']) => Driver
type Use<T> = (open: Open, heard: () => readonly string[], at: { endpoint: string; port: number }) => Promise<T>

const json = { 'Content-Type': 'application/json' }

const replying =
  (status: number, body?: unknown): Serve =>
  (_, response) =>
    response.writeHead(status).end(body === undefined ? undefined : JSON.stringify(body))

const withHttps = <T>(use: Use<T>): Promise<T> =>
  withServer((listener) => createHttpsServer(testCertificate, listener), replying(204), use)

const withHttp = <T>(serve: Serve, use: Use<T>): Promise<T> => withServer(createServer, serve, use)

async function withServer<T>(
  create: (listener: RequestListener) => ReturnType<typeof createTcpServer>,
  serve: Serve,
  use: Use<T>,
): Promise<T> {
  const heard: string[] = []
  const sockets = new Set<Socket>()
  const drivers: Driver[] = []
  const server = create(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    heard.push(`${request.method} ${request.url} ${body}`)
    serve(request.url ?? '', response)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const endpoint = `http://127.0.0.1:${port}`
  const open: Open = (options = {}) => {
    const driver = pdns4.open(
      targetOf('pdns4', { api_endpoint: endpoint, api_token: 'token', ...options }, { masters }),
    )
    drivers.push(driver)
    return driver
  }
  try {
    return await use(open, () => heard, { endpoint, port })
  } finally {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}
