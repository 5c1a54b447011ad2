import type { RawZone } from './raw-rows.ts'

const run = Date.now().toString(36)
let made = 0

/** A request for a new set of one record. */
export const createSet = (zone: RawZone): string =>
  send(`POST /v2/zones/${zone.id}/recordsets`, {
    name: `${run}-${(made++).toString(36)}.${zone.name}`,
    type: 'A',
    records: ['192.0.2.7'],
  })

/** A request to change a set; another address each time, so that it is a change. */
export const changeSet = (zone: RawZone, id: string): string => {
  made += 1
  const address = `10.${(made >>> 16) & 255}.${(made >>> 8) & 255}.${made & 255}`
  return send(`PUT /v2/zones/${zone.id}/recordsets/${id}`, { records: [address] })
}

function send(line: string, body: object): string {
  const text = JSON.stringify(body)
  return `${line} HTTP/1.1\r\nHost: 127.0.0.1:9001\r\nAccept: application/json\r\nX-Auth-Project-ID: bench\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
}
