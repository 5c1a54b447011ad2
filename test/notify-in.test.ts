import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '../src/db/sql.ts'
import { decodeMessage } from '../src/dns/message.ts'
import { signRequest, type TsigKey } from '../src/dns/tsig.ts'
import { askUdp, TcpClient } from './support/dns-transports.ts'
import { query } from './support/nameserver.ts'
import { type Served, startServed, until } from './support/served.ts'

const [NOERROR, REFUSED, NOTAUTH] = [0, 5, 9]

let served: Served
before(async () => {
  served = await startServed()
})
after(() => served.close())

const newSecondary = async (name: string, masters: string[]) => {
  const { status, body, text } = await served.api.post('/v2/zones', { name, type: 'SECONDARY', masters })
  equal(status, 202, text)
  return body
}
const asked = (id: string) =>
  served.api.db.read((tx) =>
    tx.get<{ asked_at: string }>(sql`select asked_at from zone_refreshes where zone_id = ${id}`),
  )

/** What is said to a NOTIFY over each transport. */
async function notify(name: string, key?: TsigKey): Promise<number[]> {
  const plain = query(name, 'SOA', { opcode: 4 })
  const bytes = key === undefined ? plain : signRequest(plain, key, new Date()).bytes
  const address = { host: '127.0.0.1', port: served.port() }
  const tcp = await TcpClient.open(address)
  tcp.send(bytes)
  const replies = [await askUdp(address, bytes), await tcp.next()].map((reply) => decodeMessage(reply!))
  tcp.socket.destroy()
  ok(replies.every(({ opcode, flags }) => opcode === 4 && flags.qr))
  return replies.map(({ rcode }) => rcode)
}

test('[S95] NOTIFY for what is no secondary zone here is NOTAUTH', async () => {
  const zone = await served.api.newZone('primary.example.')
  for (const name of ['primary.example.', 'nowhere.example.', '.'])
    deepEqual(await notify(name), [NOTAUTH, NOTAUTH], name)
  equal(await asked(zone.id), undefined)
})

test('[S96] NOTIFY of anyone but a master is REFUSED', async () => {
  const zone = await newSecondary('others.example.', ['192.0.2.1', '[2001:db8::1]:5300', '127.0.0.2:53'])
  const before = await asked(zone.id)
  deepEqual(await notify('others.example.'), [REFUSED, REFUSED])
  deepEqual(await asked(zone.id), before)
})

test('[S97] NOTIFY of a master is accepted, whatever port it listens on, and has the masters asked', async () => {
  const zone = await newSecondary('ours.example.', ['192.0.2.1', '127.0.0.1:5355'])
  await served.api.db.write((tx) => tx.run(sql`delete from zone_refreshes`))
  const woken: string[] = []
  const unfollow = served.api.db.follow((topics) => void woken.push(...topics))
  deepEqual(await notify('OURS.example.'), [NOERROR, NOERROR])
  ok(await until(async () => (await asked(zone.id)) !== undefined), 'nobody was told')
  ok(woken.includes('zone_refreshes'))
  unfollow()
})

test('[S97] a signature must be by a key of the zone or its pool', async () => {
  const zone = await newSecondary('keyed.example.', ['127.0.0.1'])
  const other = await newSecondary('other.example.', ['127.0.0.1'])
  const keyOf = async (name: string, scope: string, resource_id: unknown): Promise<TsigKey> => {
    const secret = Buffer.from(name).toString('base64')
    await served.api.post('/v2/tsigkeys', { name, algorithm: 'hmac-sha256', secret, scope, resource_id })
    return { name: `${name}.`, algorithm: 'hmac-sha256', secret: Buffer.from(name) }
  }
  const becomes = (key: TsigKey, rcode: number) =>
    until(async () => (await notify('keyed.example.', key)).every((one) => one === rcode))
  ok(await becomes(await keyOf('of-zone', 'ZONE', zone.id), NOERROR))
  ok(await becomes(await keyOf('of-pool', 'POOL', zone.pool_id), NOERROR))
  ok(await becomes(await keyOf('of-other', 'ZONE', other.id), REFUSED))
  ok(await becomes({ name: 'unknown.', algorithm: 'hmac-sha256', secret: Buffer.from('x') }, NOTAUTH))
})
