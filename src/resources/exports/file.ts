import { sql, type Tx } from '../../db/sql.ts'
import { genericText } from '../../dns/generic.ts'
import { rdataFromText } from '../../dns/rdata.ts'
import { typeCode } from '../../dns/types/index.ts'
import { commonName, commonText } from '../../dns/zonefile/common-text.ts'

const page = 500

type SetRow = readonly [id: string, name: string, type: string, ttl: number | null, records: string]

/**
 * A zone as a file, made from one state of it however long that takes: $ORIGIN, $TTL, a blank line, and a line for each
 * record in the order in which sets were made. Clients read this very layout, with the TTL left out where a set has none.
 */
export async function* zoneFile(
  tx: Tx,
  zone: { readonly id: string; readonly name: string; readonly ttl: number },
): AsyncGenerator<string, void> {
  let text = `$ORIGIN ${commonName(zone.name)}\n$TTL ${zone.ttl}\n\n`
  let after = ''
  for (;;) {
    const rows = (await tx.values(sql`
      select id, name, type, ttl, records from recordsets where zone_id = ${zone.id} and id > ${after}
      order by id limit ${page}`)) as unknown as SetRow[]
    for (const row of rows) text += lines(row)
    yield text
    if (rows.length < page) return
    text = ''
    after = rows.at(-1)![0]
  }
}

function lines([, name, type, ttl, records]: SetRow): string {
  const code = typeCode(type)
  if (code === undefined) throw new Error(`${name} is stored with the type ${type}, which there is not`)
  const owner = `${commonName(name)} ${ttl ?? ''} IN`
  let text = ''
  for (const written of JSON.parse(records) as string[]) {
    const rdata = rdataFromText(code, written)
    const data = commonText(code, rdata)
    text += data === undefined ? `${owner} TYPE${code} ${genericText(rdata)}\n` : `${owner} ${type} ${data}\n`
  }
  return text
}
