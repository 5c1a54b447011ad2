import { timestamp } from '../../clock.ts'
import { join, type Sql, sql, type Tx } from '../../db/sql.ts'
import { newId } from '../../ids.ts'
import { type ServiceName, type ServiceStatus, serviceStatus } from './fields.ts'

const staleMilliseconds = 30_000
const forgottenMilliseconds = 7 * 86_400_000

/** A process: its host, and what tells it from others there. */
export type Process = { readonly hostname: string; readonly instance: string }

/** Notes that these roles of a process are there; forgets those that nobody has heard of for a week. */
export async function beat(tx: Tx, process: Process, roles: readonly ServiceName[], now: Date): Promise<void> {
  const at = timestamp(now)
  if (roles.length > 0) {
    const rows = roles.map(
      (role) => sql`(${newId(now)}, ${role}, ${process.hostname}, ${process.instance}, ${at}, ${at})`,
    )
    await tx.run(sql`
      insert into service_statuses (id, service_name, hostname, instance, heartbeated_at, created_at) values ${join(rows)}
      on conflict (service_name, hostname, instance) do update
        set heartbeated_at = excluded.heartbeated_at, updated_at = excluded.heartbeated_at, stopped = 0`)
  }
  await tx.run(sql`delete from service_statuses where heartbeated_at < ${before(now, forgottenMilliseconds)}`)
}

/** Notes that a process has stopped of its own accord. */
export const stop = (tx: Tx, { hostname, instance }: Process, now: Date): Promise<number> =>
  tx.run(sql`
    update service_statuses set stopped = 1, updated_at = ${timestamp(now)}
    where hostname = ${hostname} and instance = ${instance}`)

/** The statuses as they are at a moment: who has not been heard of for three beats is down. */
export const statusesAt = (now: Date): Sql => sql`(
  select id, hostname, service_name, '{}' as stats, '{}' as capabilities, heartbeated_at, created_at, updated_at,
    coalesce(updated_at, '') as updated_key,
    case when stopped = 1 then 'STOPPED' when heartbeated_at < ${before(now, staleMilliseconds)} then 'DOWN' else 'UP' end as status
  from service_statuses) as service_statuses`

export async function get(tx: Tx, id: string, now: Date): Promise<ServiceStatus | undefined> {
  const row = await tx.get(sql`select * from ${statusesAt(now)} where id = ${id}`)
  return row === undefined ? undefined : serviceStatus.fromRow(row)
}

const before = (now: Date, milliseconds: number): string => timestamp(new Date(now.getTime() - milliseconds))
