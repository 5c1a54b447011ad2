import { type ErrorType, fail } from '../../errors.ts'
import { hostKey } from '../../hosts.ts'

type Host = { readonly id: string; readonly host: string; readonly port: number }

/** Refuses a host and port that another of the pool has, however they are written. */
export function mustDiffer(row: Host, others: readonly Host[], type: ErrorType, label: string): void {
  const same = others.find(
    ({ id, host, port }) => id !== row.id && port === row.port && hostKey(host) === hostKey(row.host),
  )
  if (same !== undefined)
    fail(type, `Duplicate ${label}: ${same.id} has host ${same.host} and port ${same.port} already`)
}
