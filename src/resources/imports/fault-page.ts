import { readLimit } from '../../api/collection.ts'
import { printQuery } from '../../api/query.ts'
import type { Call } from '../../api/route.ts'
import type { Tx } from '../../db/sql.ts'
import { fail } from '../../errors.ts'
import type { ImportFault } from './fields.ts'
import * as store from './store.ts'

/** Where a fault is kept: in which block, and where in it. */
type Place = { readonly block: number; readonly index: number }

type Page = {
  readonly faults: readonly ImportFault[]
  readonly links: { readonly self: string; readonly next?: string }
}

/** The faults of an import that a request asks for, as a page of a collection. Their markers are places: faults have no ids. */
export async function faultPage(call: Call, importId: string): Promise<Page> {
  const { tx, query, linkQuery, mount } = call
  const after = readPlace(query.get('marker'))
  const { faults, last } = await faultsAfter(tx, importId, after, readLimit(query, call))
  const here = `${mount}/zones/tasks/imports/${importId}/faults`
  const next = last && here + printQuery(new Map([...linkQuery, ['marker', `${last.block}.${last.index}`]]))
  return { faults, links: { self: here + printQuery(linkQuery), ...(next !== undefined && { next }) } }
}

function readPlace(marker: string | undefined): Place | undefined {
  if (marker === undefined) return undefined
  const [, block, index] =
    /^(\d{1,6})\.(\d{1,6})$/.exec(marker) ??
    fail('invalid_marker', `marker must be that of links.next, not '${marker}'`)
  return { block: Number(block), index: Number(index) }
}

/** Up to so many faults behind a place, and where the last of them is, if there are more. */
async function faultsAfter(tx: Tx, importId: string, after: Place | undefined, limit: number) {
  const faults: ImportFault[] = []
  let last: Place | undefined
  for (let block = after?.block ?? 0; ; block++) {
    const kept = await store.faultBlock(tx, importId, block)
    if (block === after?.block && (kept === undefined || kept.length <= after.index)) {
      fail('marker_not_found', `Marker ${after.block}.${after.index} could not be found`)
    }
    if (kept === undefined) return { faults, last: undefined }
    for (let index = block === after?.block ? after.index + 1 : 0; index < kept.length; index++) {
      if (faults.length === limit) return { faults, last }
      faults.push(kept[index]!)
      last = { block, index }
    }
  }
}
