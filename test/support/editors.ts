import type { ShownSet } from './zones-api.ts'

/** What clients know of what they did: replies they had, and requests whose reply never came. */
export type Ledger = {
  /** How often the counter was raised for certain, and how often perhaps. */
  readonly counter: { raised: number; perhaps: number }
  /** For each name of a client's own what it holds, or undefined once deleted; unsure ones are not here. */
  readonly own: Map<string, readonly string[] | undefined>
  readonly statuses: Map<number, number>
}

export const newLedger = (): Ledger => ({ counter: { raised: 0, perhaps: 0 }, own: new Map(), statuses: new Map() })

type Zone = { readonly id: string; readonly name: string }
type Reply = { readonly status: number; readonly etag: string; readonly body: ShownSet }

/** Many clients that edit one zone at once until `isOver`; connections that break are part of it. */
export async function edit(
  url: string,
  zone: Zone,
  ledger: Ledger,
  { clients, isOver }: { readonly clients: number; readonly isOver: () => boolean },
): Promise<void> {
  const sets = `${url}/v2/zones/${zone.id}/recordsets`

  /** The reply, or undefined when none came. */
  async function send(method: string, path: string, body?: object, tag?: string): Promise<Reply | undefined> {
    try {
      const headers = {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(tag !== undefined && { 'If-Match': tag }),
      }
      const response = await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      const text = await response.text()
      ledger.statuses.set(response.status, (ledger.statuses.get(response.status) ?? 0) + 1)
      return {
        status: response.status,
        etag: response.headers.get('etag') ?? '',
        body: text === '' ? {} : JSON.parse(text),
      }
    } catch {
      return undefined
    }
  }

  /** Raises the number that all share, as those must who do not want to lose what others wrote. */
  async function raiseCounter(): Promise<void> {
    const found = await send('GET', `${sets}?name=counter.${zone.name}&type=TXT`)
    const id = (found?.body as unknown as { recordsets?: ShownSet[] })?.recordsets?.[0]?.id
    const seen = id && (await send('GET', `${sets}/${id}`))
    if (typeof seen !== 'object' || seen.status !== 200) return
    const next = String(Number(JSON.parse(seen.body.records[0]!)) + 1)
    const put = await send('PUT', `${sets}/${id}`, { records: [`"${next}"`] }, seen.etag)
    if (put === undefined || put.status >= 500) ledger.counter.perhaps += 1
    else if (put.status === 202) ledger.counter.raised += 1
  }

  /** Creates, changes and deletes sets of a client's own, and remembers what it was told. */
  async function workOnOwn(client: number, turn: number): Promise<void> {
    const name = `c${client}-${turn % 3}.${zone.name}`
    const records = [`192.0.2.${turn % 250}`, `198.51.100.${client}`]
    const known = ledger.own.get(name)
    const put = await send('PUT', `${sets}/${name}/A`, { records, ttl: turn % 2 === 0 ? null : turn })
    if (put === undefined || put.status >= 500) return void ledger.own.delete(name)
    // After a restart a client may ask for what is there already.
    if (put.status !== 202 && put.status !== 200)
      throw new Error(`PUT ${name} gave ${put.status} ${JSON.stringify(put.body)}`)
    ledger.own.set(name, records)
    if (turn % 4 !== 3) return
    const gone = await send('DELETE', `${sets}/${put.body.id}`, undefined, put.etag)
    if (gone === undefined || gone.status >= 500) return void ledger.own.delete(name)
    if (gone.status !== 202) throw new Error(`DELETE ${name} gave ${gone.status}, after ${JSON.stringify(known)}`)
    ledger.own.set(name, undefined)
  }

  /** Fights with all others over a few names; most of it is refused, and that is right. */
  async function quarrel(turn: number): Promise<void> {
    const name = `shared${turn % 5}.${zone.name}`
    const type = turn % 2 === 0 ? 'A' : 'CNAME'
    const records = type === 'A' ? ['192.0.2.1'] : ['target.example.']
    const made = await send('POST', sets, { name, type, records })
    if (made?.status === 202 && turn % 3 === 0) await send('DELETE', `${sets}/${made.body.id}`)
  }

  const client = async (number: number): Promise<void> => {
    for (let turn = number; !isOver(); turn += 1) {
      if (turn % 3 === 0) await raiseCounter()
      else if (turn % 3 === 1) await workOnOwn(number, turn)
      else await quarrel(turn)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
}
