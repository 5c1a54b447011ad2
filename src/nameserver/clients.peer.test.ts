import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { startFfi, tcpLimits } from '../../test/support/dns-transports.ts'
import { serverOf, testKey } from '../../test/support/nameserver.ts'
import { listenTcp } from './tcp.ts'
import { type Listener, listenDgram } from './udp-dgram.ts'

const run = promisify(execFile)
const secret = Buffer.from(testKey.secret).toString('base64')

async function program(name: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(name, args, { timeout: 20_000 })
  return stdout
}

const transports: [string, (port: number) => Promise<{ close(): Promise<void> }>][] = [
  ['batches', (port) => startFfi([{ host: '127.0.0.1', port }])],
  ['dgram', (port) => listenDgram({ host: '127.0.0.1', port }, serverOf())],
]

for (const [name, start] of transports) {
  describe(`over ${name} and TCP`, () => {
    let port = '0'
    let udp: Awaited<ReturnType<typeof start>>
    let tcp: Listener
    before(async () => {
      tcp = await listenTcp({ host: '127.0.0.1', port: 0 }, tcpLimits, serverOf())
      udp = await start(tcp.address.port)
      port = String(tcp.address.port)
    })
    after(async () => {
      await tcp?.close()
      await udp?.close()
    })
    const dig = (...args: string[]) =>
      program('dig', ['@127.0.0.1', '-p', port, '+tries=1', '+time=3', '+norec', ...args])

    test('[S60] dig asks and is answered, over UDP and TCP', async () => {
      equal(await dig('www.example', 'A', '+short'), '192.0.2.1\n192.0.2.2\n')
      equal(await dig('www.example', 'A', '+short', '+tcp'), '192.0.2.1\n192.0.2.2\n')
      match(await dig('nope.example', 'A'), /status: NXDOMAIN.*flags: qr aa;/s)
      match(await dig('www.elsewhere', 'A'), /status: REFUSED.*EDE: 20 \(Not Authoritative\)/s)
      match(await dig('www.failed', 'A'), /status: SERVFAIL.*EDE: 24 \(Invalid Data\): \(the SOA is missing\)/s)
      match(await dig('www.sub.example', 'A'), /flags: qr; .*sub\.example\.\s+3600\s+IN\s+NS\s+ns\.sub\.example\./s)
    })

    test('[S15] dig falls back to TCP where an answer is cut', async () => {
      const reply = await dig('text.example', 'TXT')
      match(reply, /Truncated, retrying in TCP mode/)
      equal(reply.match(/^text\.example\./gm)?.length, 9)
    })

    test('[S16] dig sees NSID, cookie, expire and keepalive', async () => {
      match(await dig('example', 'SOA', '+nsid'), /NSID: .*\("ns-one"\)/)
      match(await dig('example', 'SOA', '+expire'), /EXPIRE: 86400/)
      match(await dig('example', 'SOA', '+cookie'), /COOKIE: [0-9a-f]{48} \(good\)/)
      match(await dig('example', 'SOA', '+tcp', '+keepalive'), /TCP[- ]KEEPALIVE: 30\.0 secs/i)
    })

    test('[S11] dig +ednsopt, +ednsflags, +edns=1, +opcode, +header-only and +qid get proper replies', async () => {
      match(await dig('example', 'SOA', '+ednsopt=100'), /status: NOERROR.*ANSWER: 1/s)
      match(await dig('example', 'SOA', '+ednsflags=0x40'), /status: NOERROR(?!.*MBZ).*ANSWER: 1/s)
      match(await dig('example', 'SOA', '+edns=1', '+noednsneg', '+nocookie'), /status: BADVERS.*EDNS: version: 0/s)
      match(await dig('example', 'SOA', '+opcode=15', '+header-only', '+noedns'), /opcode: RESERVED15, status: NOTIMP/)
      match(await dig('example', 'TYPE1000'), /status: NOERROR.*ANSWER: 0/s)
      match(await dig('version.bind', 'CH', 'TXT'), /"Nameplane"/)
    })

    test('[S31] dig verifies signed replies, and is told what is wrong with its own', async () => {
      const good = await dig('www.example', 'A', '-y', `hmac-sha256:key.example:${secret}`)
      match(good, /status: NOERROR.*TSIG PSEUDOSECTION/s)
      ok(!/verify|Some TSIG could not be validated/.test(good), good)
      match(await dig('www.example', 'A', '-y', `hmac-sha256:nobody:${secret}`), /NOTAUTH.*BADKEY/s)
      match(await dig('www.example', 'A', '-y', 'hmac-sha256:key.example:AAAA'), /NOTAUTH.*BADSIG/s)
    })

    test('[S60] kdig asks and is answered', async () => {
      const kdig = (...args: string[]) => program('kdig', ['@127.0.0.1', '-p', port, '+retry=0', ...args])
      equal(await kdig('www.example', 'A', '+short'), '192.0.2.1\n192.0.2.2\n')
      match(await kdig('www.example', 'A', '+tcp', '+padding=64'), /PADDING/)
      match(await kdig('www.example', 'A', '+nsid', '+cookie', '+dnssec'), /status: NOERROR.*COOKIE.*NSID/s)
      match(await kdig('www.example', 'A', '-y', `hmac-sha256:key.example:${secret}`), /status: NOERROR.*TSIG/s)
    })

    test('[S60] drill asks and is answered', async () => {
      const drill = (...args: string[]) => program('drill', ['-p', port, ...args])
      match(await drill('www.example', '@127.0.0.1', 'A'), /rcode: NOERROR.*192\.0\.2\.1.*192\.0\.2\.2/s)
      match(await drill('-t', 'text.example', '@127.0.0.1', 'TXT'), /ANSWER: 9/)
      match(await drill('across.example', '@127.0.0.1', 'A'), /www\.other\.\s+3600\s+IN\s+A\s+192\.0\.2\.9/)
    })

    test('[S60] dnspython asks and is answered, with EDNS, TSIG, cookies and over TCP', async () => {
      const script = `
import dns.message, dns.query, dns.tsigkeyring, dns.edns, dns.flags, json, sys
port = ${port}
out = []
q = dns.message.make_query('www.example.', 'A', use_edns=0, want_dnssec=True)
out.append(sorted(str(r) for r in dns.query.udp(q, '127.0.0.1', port=port, timeout=3).answer[0]))
q = dns.message.make_query('text.example.', 'TXT')
r, tcp = dns.query.udp_with_fallback(q, '127.0.0.1', port=port, timeout=3)
out.append([tcp, len(r.answer[0])])
q = dns.message.make_query('www.example.', 'A')
q.use_tsig(dns.tsigkeyring.from_text({'key.example.': '${secret}'}), keyname='key.example.')
out.append(dns.query.udp(q, '127.0.0.1', port=port, timeout=3).had_tsig)
out.append(dns.query.tcp(q, '127.0.0.1', port=port, timeout=3).had_tsig)
q = dns.message.make_query('www.example.', 'A', use_edns=0, options=[dns.edns.GenericOption(10, b'12345678'), dns.edns.GenericOption(19, b'')])
r = dns.query.udp(q, '127.0.0.1', port=port, timeout=3)
out.append(sorted([int(o.otype), len(o.to_wire())] for o in r.options))
print(json.dumps(out))
`
      deepEqual(JSON.parse(await program('/usr/bin/python3', ['-c', script])), [
        ['192.0.2.1', '192.0.2.2'],
        [true, 9],
        true,
        true,
        [
          [10, 24],
          [19, 6],
        ],
      ])
    })
  })
}
