import { deepEqual, doesNotMatch, match } from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePort } from '../../../test/support/port.ts'
import { decodeMessage, encodeMessage } from '../../dns/message.ts'
import { FrameDecoder, frame } from '../../dns/stream.ts'
import { checkCatalog } from './catalog.ts'

/** What is found at a server that answers everything with an rcode. */
async function foundAt(rcode: number, type = 'catalog') {
  const answer = (bytes: Uint8Array) => {
    const message = decodeMessage(bytes)
    return encodeMessage({ ...message, rcode, flags: { ...message.flags, qr: true } })
  }
  const port = await freePort()
  const server = createServer((socket) => {
    const frames = new FrameDecoder()
    socket.on('data', (chunk: Buffer) => {
      for (const bytes of frames.push(chunk)) socket.end(frame(answer(bytes)))
    })
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const udp = createSocket('udp4').bind(port, '127.0.0.1')
  udp.on('message', (bytes, from) => udp.send(answer(bytes), from.port, from.address))
  await once(udp, 'listening')
  const target = { type, masters: [], options: { host: '127.0.0.1', port }, key: undefined }
  const current = { name: 'c.invalid.', serial: 1 }
  const [finding, ...more] = await checkCatalog(target, current, new AbortController().signal)
  udp.close()
  server.close()
  return { ...finding!, more }
}

test('[W63] a server that could not take the catalog is told from one that does not know of it', async () => {
  const [unknown, untaken] = [await foundAt(5), await foundAt(2)]
  deepEqual([unknown.level, untaken.level], ['error', 'error'])
  match(unknown.mend!, /primaries \{ \(the address of this service\) port 5354; \}/)
  match(untaken.what, /could not take it/)
  match(untaken.mend!, /a transfer is refused/)
  doesNotMatch(untaken.mend!, /named\.conf/)
})

test('[W63] a server whose type is known is told its own recipe alone, and what it may have kept', async () => {
  const [any, knot] = [await foundAt(5), await foundAt(5, 'knot')]
  for (const name of ['named.conf', 'knot.conf', 'pdns.conf', 'nsd.conf']) {
    match(any.mend!, new RegExp(name))
    if (name !== 'knot.conf') doesNotMatch(knot.mend!, new RegExp(name))
  }
  match(knot.mend!, /follow c\.invalid\. For Knot, in knot\.conf/)
  deepEqual([any.more, knot.more.map(({ level }) => level)], [[], ['ok']])
})

test('[W84] a target whose name cannot be resolved is told so, not of firewalls', async () => {
  const target = { type: 'catalog', masters: [], options: { host: 'no-such-host..invalid', port: 53 }, key: undefined }
  const [finding] = await checkCatalog(target, { name: 'c.invalid.', serial: 1 }, new AbortController().signal)
  match(finding!.what, /the name of the host (is not known|cannot be looked up now)$/)
  match(finding!.mend!, /^the name cannot be resolved: /)
})
