import { doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { question, record } from '../../test/support/message-corpus.ts'
import { findOption } from './edns.ts'
import { decodeMessage, encodeMessage, type Message } from './message.ts'
import { FrameDecoder, frame, packRecords } from './stream.ts'
import { signResponse, type TsigAlgorithm, type TsigKey, tsigAlgorithms, verifyRequest } from './tsig.ts'
import { StreamSigner } from './tsig-stream.ts'

const run = promisify(execFile)
const ask = async (program: string, ...args: string[]) => (await run(program, args, { timeout: 20_000 })).stdout

/** Answers what comes by UDP and TCP on ports of its own while `use` runs. */
async function serving(
  answer: (request: Uint8Array) => Uint8Array[],
  use: (port: { tcp: string; udp: string }) => Promise<void>,
): Promise<void> {
  const tcp = createServer((socket) => {
    const frames = new FrameDecoder()
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk: Buffer) => {
      for (const request of frames.push(chunk)) for (const reply of answer(request)) socket.write(frame(reply))
    })
  })
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as AddressInfo
  const udp = createSocket('udp4', (request, from) => {
    for (const reply of answer(request)) udp.send(reply, from.port, from.address)
  })
  udp.bind(0, '127.0.0.1')
  await once(udp, 'listening')
  try {
    await use({ tcp: String(port), udp: String(udp.address().port) })
  } finally {
    udp.close()
    tcp.close()
  }
}

const reply = (request: Message, rest: Partial<Message>): Message => {
  const { tsig: _, ...message } = request
  return { ...message, flags: { ...request.flags, qr: true, aa: true, ad: false }, additional: [], ...rest }
}
const server = (port: string) => ['@127.0.0.1', '-p', port, '+norecurse']

test('[M18] dig sends the options we read, and shows those we send', async () => {
  let seen: Message | undefined
  const answer = (bytes: Uint8Array) => {
    seen = decodeMessage(bytes)
    const cookie = findOption(seen.edns, 'cookie')!
    const edns: Message['edns'] = {
      udpSize: 1232,
      version: 0,
      dnssecOk: true,
      options: [
        { option: 'nsid', id: Buffer.from('ns1.lab') },
        { ...cookie, server: Buffer.alloc(16, 7) },
        { option: 'client-subnet', family: 1, sourcePrefix: 24, scopePrefix: 16, address: Uint8Array.of(192, 0, 2) },
        { option: 'expire', seconds: 1234 },
        { option: 'extended-error', code: 18, text: 'not for you' },
      ],
    }
    const txt = record('www.example.org. 300 TXT "one" "two; \\"three\\""')
    return [encodeMessage(reply(seen, { answer: [record('www.example.org. 300 A 192.0.2.1'), txt], edns }))]
  }
  await serving(answer, async (port) => {
    const text = await ask(
      'dig',
      ...server(port.udp),
      '+tries=1',
      '+nsid',
      '+expire',
      '+dnssec',
      '+subnet=192.0.2.0/24',
      'www.example.org',
      'A',
    )
    match(text, /www\.example\.org\.\s+300\s+IN\s+A\s+192\.0\.2\.1/)
    match(text, /TXT\s+"one" "two; \\"three\\""/)
    match(text, /NSID: .*"ns1\.lab"/)
    match(text, /CLIENT-SUBNET: 192\.0\.2\.0\/24\/16/)
    match(text, /EXPIRE: 1234/)
    match(text, /EDE: 18 \(Prohibited\): \(not for you\)/)
    match(text, /COOKIE: [0-9a-f]{48} \(good\)/)
    doesNotMatch(text, /WARNING|malformed/i)
  })
  equal(seen?.edns?.dnssecOk, true)
  ok(findOption(seen?.edns, 'nsid') && findOption(seen?.edns, 'expire'))
  equal(findOption(seen?.edns, 'client-subnet')?.sourcePrefix, 24)
})

test('[M22] kdig over TCP reads our framing, with compressed names in every section', async () => {
  const full = {
    answer: [record('example.org. 60 MX 10 mail.example.org.'), record('example.org. 60 SRV 1 2 3 sip.example.org.')],
    authority: [record('example.org. 60 SOA ns1.example.org. host.example.org. 7 7200 900 1209600 300')],
    additional: [record('mail.example.org. 60 AAAA 2001:db8::1'), record('example.org. 60 TYPE65280 \\# 2 ABCD')],
  }
  await serving(
    (bytes) => [encodeMessage(reply(decodeMessage(bytes), full))],
    async (port) => {
      const text = await ask('kdig', ...server(port.tcp), '+tcp', 'example.org', 'MX')
      match(text, /MX\s+10 mail\.example\.org\./)
      match(text, /SRV\s+1 2 3 sip\.example\.org\./)
      match(text, /SOA\s+ns1\.example\.org\. host\.example\.org\. 7 7200 900 1209600 300/)
      match(text, /mail\.example\.org\.\s+60\s+IN\s+AAAA\s+2001:db8::1/)
      match(text, /TYPE65280\s+\\# 2 ABCD/)
      doesNotMatch(text, /WARNING|ERROR:/)
    },
  )
})

const keyOf = (algorithm: TsigAlgorithm): TsigKey => ({
  name: 'lab.key.',
  algorithm,
  secret: Buffer.from('0123456789abcdef'),
})
const flag = (key: TsigKey) => `${key.algorithm}:${key.name}:${Buffer.from(key.secret).toString('base64')}`

for (const algorithm of [
  'hmac-md5',
  'hmac-sha1',
  'hmac-sha224',
  'hmac-sha256',
  'hmac-sha384',
  'hmac-sha512',
] as const) {
  test(`[M19] dig and we verify each other's ${tsigAlgorithms[algorithm].name}`, async () => {
    const key = keyOf(algorithm)
    const answer = (bytes: Uint8Array) => {
      const check = verifyRequest(bytes, () => key, new Date())
      if (check.status !== 'good') return []
      const message = reply(decodeMessage(bytes), { answer: [record('www.example.org. 300 A 192.0.2.1')] })
      return [signResponse(encodeMessage(message), key, check.mac, new Date()).bytes]
    }
    await serving(answer, async (port) => {
      const text = await ask(
        'dig',
        ...server(port.udp),
        '+tries=1',
        '+timeout=3',
        '-y',
        flag(key),
        'www.example.org',
        'A',
      )
      match(text, /192\.0\.2\.1/)
      match(text, /TSIG.*NOERROR/)
      doesNotMatch(text, /WARNING|could not be validated|verify/i)
    })
  })
}

for (const every of [1, 4]) {
  test(`[M21] dig takes a transfer of many messages, each ${every}. signed`, async () => {
    const key = keyOf('hmac-sha256')
    const soa = record('example.org. 60 SOA ns1.example.org. host.example.org. 7 7200 900 1209600 300')
    const hosts = Array.from({ length: 3000 }, (_, i) => record(`host${i}.example.org. 60 TXT "number ${i}"`))
    const answer = (bytes: Uint8Array) => {
      const check = verifyRequest(bytes, () => key, new Date())
      if (check.status !== 'good') return []
      const header = reply(decodeMessage(bytes), {})
      const messages = [
        ...packRecords({ ...header, question: [question('example.org.', 'AXFR')] }, [soa, ...hosts, soa], {
          limit: 4096,
          room: 100,
        }),
      ]
      const signer = new StreamSigner(key, check.mac)
      return messages.map((message, i) => {
        if (i % every === 0 || i === messages.length - 1) return signer.sign(message, new Date()).bytes
        signer.pass(message)
        return message
      })
    }
    await serving(answer, async (port) => {
      const text = await ask('dig', ...server(port.tcp), '+tries=1', '-y', flag(key), 'example.org', 'AXFR')
      match(text, /XFR size: 3002 records \(messages \d\d/)
      match(text, /host2999\.example\.org\.\s+60\s+IN\s+TXT\s+"number 2999"/)
      doesNotMatch(text, /WARNING|failed|verify/i)
    })
  })
}
