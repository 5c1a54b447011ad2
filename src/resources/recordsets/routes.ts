import { isDeepStrictEqual } from 'node:util'
import { asSeen, mustMatch, mustNotBeAskedFor, tagged, unlessKnown, versionIn } from '../../api/etag.ts'
import { fault, isObject, requiredFault } from '../../api/field.ts'
import { notFound } from '../../api/resource.ts'
import { type Call, created, listed, printed, type Reply, route, shown } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { raw } from '../../db/sql.ts'
import { nameToWire, sameName } from '../../dns/name.ts'
import { type Fault, fail, refuse } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { countOf } from '../quotas/counts.ts'
import type { Quotas } from '../quotas/fields.ts'
import { contentFor, mayChangeAll, zoneToAddTo } from '../zones/access.ts'
import { mustHaveTtl } from '../zones/create.ts'
import type { Zone } from '../zones/fields.ts'
import { nameMatches } from '../zones/name-filter.ts'
import * as zones from '../zones/store.ts'
import { addSet, changeSet, dropSet, mustBeEditable, mustHaveRoomFor } from './change.ts'
import { dataMatches } from './data-filter.ts'
import { type Recordset, recordset } from './fields.ts'
import { parseRecords } from './records.ts'
import { mustBeWellFormed, ownerFaults, placementFault, typeFaults } from './rules.ts'
import * as store from './store.ts'

export type RecordsetSettings = {
  readonly minTtl: number
  readonly maxRecordsetNameLength: number
  /** The types that may be used; undefined allows all that make sense. */
  readonly recordTypes: ReadonlySet<string> | undefined
  readonly quotaDefaults: Quotas
}

const about = { resource: recordset } as const

const parameters = { data: { type: 'string' } } as const

const among = {
  table: raw('recordsets'),
  filters: { data: dataMatches, name: nameMatches },
  mayHideCount: true,
} as const

export const recordsetRoutes = (settings: RecordsetSettings) => [
  route(
    'POST /v2/zones/{zone_id}/recordsets',
    { ...about, may: 'create_recordset', summary: 'Create a record set', returns: 'one', status: 202 },
    async (call) => {
      const zone = await zoneToAddTo(call)
      if (isLong(call.body)) {
        await mustHaveRoomFor(call, zone, settings.quotaDefaults, recordset.create(call.body).records, undefined)
      }
      const row = await create(call, zone, recordset.create(call.body, contentFaults(settings)), settings)
      return tagged(row, { ...created(call, recordset, row), status: row.status === 'PENDING' ? 202 : 201 })
    },
  ),

  route(
    'GET /v2/zones/{zone_id}/recordsets',
    {
      ...about,
      may: 'find_recordsets',
      summary: 'List the record sets of a zone',
      returns: 'list',
      status: 200,
      parameters,
    },
    async (call) => {
      const zone = await contentFor(call)
      return listed(call, recordset, {
        ...among,
        only: { zone_id: zone.id },
        path: `/zones/${zone.id}/recordsets`,
        total: async () => zone.recordset_count,
      })
    },
  ),

  route(
    'GET /v2/zones/{zone_id}/recordsets/{recordset_id}',
    { ...about, may: 'get_recordset', summary: 'Show a record set', returns: 'one', status: 200 },
    async (call) => {
      const { id } = await contentFor(call)
      // The serial is no field of it, but a part of its tag.
      const columns = [...recordset.alone(call.profile).columns, 'serial']
      const values = await store.valuesOf(call.tx, columns, id, call.params.recordset_id)
      if (values === undefined) return notFound(recordset)
      return unlessKnown(call, versionIn(columns, values), printed(call, recordset, values))
    },
  ),

  route(
    'PUT /v2/zones/{zone_id}/recordsets/{recordset_id}',
    {
      ...about,
      may: 'update_recordset',
      summary: 'Change a record set; what is not sent stays',
      returns: 'one',
      status: 202,
    },
    async (call) => {
      const zone = await zoneToAddTo(call)
      return update(call, zone, await rowOf(call, zone), settings)
    },
  ),

  route(
    'GET /v2/zones/{zone_id}/recordsets/{name}/{type}',
    {
      ...about,
      may: 'get_recordset',
      operation: 'get_recordset_at',
      summary: 'Show the record set of a name and type',
      returns: 'one',
      status: 200,
      text: ['name', 'type'],
    },
    async (call) => {
      const row = await rowAt(call, await contentFor(call))
      return unlessKnown(call, row, shown(call, recordset, row))
    },
  ),

  route(
    'PUT /v2/zones/{zone_id}/recordsets/{name}/{type}',
    {
      ...about,
      may: 'update_recordset',
      operation: 'put_recordset_at',
      summary: 'Make the record set of a name and type be so, whether it was there or not',
      returns: 'one',
      status: 202,
      text: ['name', 'type'],
    },
    async (call) => {
      const zone = await zoneToAddTo(call)
      if (isLong(call.body)) {
        const { name, type, records } = wantedAt(call, noFaults)
        const held = await store.at(call.tx, zone.id, name, type)
        if (!held?.managed) await mustHaveRoomFor(call, zone, settings.quotaDefaults, records, held?.records.length)
      }
      const wanted = wantedAt(call, contentFaults(settings))
      const present = await store.at(call.tx, zone.id, wanted.name, wanted.type)
      if (present !== undefined) {
        const { records, ttl, description } = wanted
        return update({ ...call, body: { records, ttl, description } }, zone, present, settings)
      }
      mustNotBeAskedFor(call)
      const row = await create(call, zone, wanted, settings)
      return tagged(row, { ...created(call, recordset, row), status: row.status === 'PENDING' ? 202 : 201 })
    },
  ),

  route(
    'DELETE /v2/zones/{zone_id}/recordsets/{recordset_id}',
    { ...about, may: 'delete_recordset', summary: 'Delete a record set', returns: 'one', status: 202 },
    async (call) => {
      const zone = await zoneToAddTo(call)
      return remove(call, zone, await rowOf(call, zone))
    },
  ),

  route(
    'DELETE /v2/zones/{zone_id}/recordsets/{name}/{type}',
    {
      ...about,
      may: 'delete_recordset',
      operation: 'delete_recordset_at',
      summary: 'Delete the record set of a name and type',
      returns: 'one',
      status: 202,
      text: ['name', 'type'],
    },
    async (call) => {
      const zone = await zoneToAddTo(call)
      return remove(call, zone, await rowAt(call, zone))
    },
  ),

  route(
    'GET /v2/recordsets',
    {
      ...about,
      may: 'find_recordsets',
      operation: 'find_recordsets_across_zones',
      summary: 'List record sets across zones',
      returns: 'list',
      status: 200,
      parameters,
    },
    (call) => {
      const { allProjects, project_id } = call.caller
      return listed(call, recordset, {
        ...among,
        only: allProjects ? {} : { project_id },
        total: () => countOf(call.tx, allProjects ? undefined : project_id, 'recordsets'),
      })
    },
  ),

  route(
    'GET /v2/recordsets/{recordset_id}',
    {
      ...about,
      may: 'get_recordset',
      operation: 'locate_recordset',
      summary: 'Find the zone a record set is in',
      returns: 'nothing',
      status: 301,
    },
    async (call) => {
      const { tx, caller } = call
      const row = await store.find(tx, call.params.recordset_id)
      if (row === undefined || (await zones.get(tx, row.zone_id, caller)) === undefined) return notFound(recordset)
      const body = { code: 301, title: 'Moved Permanently', description: null }
      return { status: 301, body, headers: { Location: call.mount + recordset.path(row) } }
    },
  ),
]

const rowOf = async (call: Call<'recordset_id'>, zone: Zone): Promise<Recordset> =>
  (await store.get(call.tx, zone.id, call.params.recordset_id)) ?? notFound(recordset)

async function rowAt({ tx, params }: Call<'name' | 'type'>, zone: Pick<Zone, 'id'>): Promise<Recordset> {
  const { name, type } = recordset.create({ name: params.name, type: params.type })
  return (await store.at(tx, zone.id, name, type)) ?? notFound(recordset)
}

/** Of a zone that is shared with them, callers change only what their project made. */
function mustBeTheirs({ caller }: Call, zone: Zone, row: Recordset): void {
  if (mayChangeAll(caller, zone) || row.project_id === caller.project_id) return
  fail('forbidden', 'the record set belongs to another project; of a shared zone you change only your own')
}

/** What a zone takes from elsewhere is not for its members to edit. */
function mustBeWritable({ caller }: Call, zone: Zone): void {
  if (zone.type !== 'PRIMARY' && !caller.roles.has('admin')) {
    fail('forbidden', 'the records of a SECONDARY zone come from its masters')
  }
}

type Body = ReturnType<typeof recordset.create>

/** What is to stand at the name and type of the path: the whole set, so its records must be told. */
function wantedAt(
  { body, params: { name, type } }: Call<'name' | 'type'>,
  faultsIn: (body: Partial<Body>) => Fault[],
): Body {
  if (!isObject(body)) return recordset.create(body)
  const wanted = recordset.create({ name, type, ...body }, faultsIn)
  const faults: Fault[] = []
  if (!Object.hasOwn(body, 'records')) requiredFault(faults, ['records'], 'records')
  const there = recordset.create({ name, type })
  if (!sameName(wanted.name, there.name)) fault(faults, ['name'], 'readOnly', true, `must be ${name}, as in the path`)
  if (wanted.type !== there.type) fault(faults, ['type'], 'readOnly', true, `must be ${type}, as in the path`)
  refuse(faults)
  return wanted
}

const noFaults = (): Fault[] => []

const few = 100

/** Whether a body has so many records that to parse them, only to find no room for them, would keep others waiting. */
const isLong = (body: unknown): boolean => isObject(body) && Array.isArray(body.records) && body.records.length > few

/** What is wrong with type, name and records taken together. */
const contentFaults =
  ({ recordTypes }: RecordsetSettings) =>
  ({ name, type, records }: Partial<Body>): Fault[] => {
    if (type === undefined) return []
    const faults = typeFaults(type, recordTypes)
    if (faults.length > 0) return faults
    if (name !== undefined) faults.push(...ownerFaults(name, type))
    if (records !== undefined) parseRecords(type, records, faults)
    return faults
  }

const contentFaultsOf =
  (type: string) =>
  ({ records }: { readonly records?: readonly string[] }): Fault[] => {
    const faults: Fault[] = []
    if (records !== undefined) parseRecords(type, records, faults)
    return faults
  }

async function create(call: Call, zone: Zone, body: Body, settings: RecordsetSettings): Promise<Recordset> {
  const { tx, now, caller } = call
  const records = parseRecords(body.type, body.records, [])
  mustBeWritable(call, zone)
  if (body.type === 'SOA') fail('bad_request', 'the SOA of a zone is kept by the service')
  mustBeWellFormed(body.name, body.type, records.length)
  if (body.ttl !== null) mustHaveTtl(body.ttl, settings.minTtl, caller)
  // As octets without the root label: an escape is one, however it is written.
  if (nameToWire(body.name).length - 1 > settings.maxRecordsetNameLength) {
    fail('invalid_recordset_name', `the name is longer than ${settings.maxRecordsetNameLength} characters`)
  }
  const around = await store.surroundings(tx, zone, body.name, body.type)
  if (around.isTaken) fail('duplicate_recordset', 'Duplicate RecordSet')
  const misplaced = placementFault(body.name, body.type, around)
  if (misplaced !== undefined) fail('invalid_recordset_location', misplaced)
  const row = {
    ...body,
    id: newId(now),
    zone_id: zone.id,
    // Who works across projects makes what belongs to the zone's.
    project_id: caller.allProjects ? zone.project_id : caller.project_id,
    records: records.map(({ text }) => text),
    managed: 0,
    version: 1,
    created_at: timestamp(now),
    updated_at: null,
  }
  return addSet(call, zone, row, records, settings.quotaDefaults)
}

async function update(call: Call, zone: Zone, row: Recordset, settings: RecordsetSettings): Promise<Reply> {
  mustBeTheirs(call, zone, row)
  mustMatch(call, row)
  const shownNow = recordset.view(row, call.profile, call.mount)
  const seen = asSeen(call.body, shownNow, row)
  if (isLong(call.body) && !row.managed) {
    const { records = [] } = recordset.update(call.body, seen)
    await mustHaveRoomFor(call, zone, settings.quotaDefaults, records, row.records.length)
  }
  const given = recordset.update(call.body, seen, contentFaultsOf(row.type))
  const records = given.records && parseRecords(row.type, given.records, [])
  mustBeWritable(call, zone)
  mustBeEditable(call, zone, row)
  mustBeWellFormed(row.name, row.type, records?.length ?? 0)
  if (given.ttl != null) mustHaveTtl(given.ttl, settings.minTtl, call.caller)
  const wanted = {
    ttl: given.ttl === undefined ? row.ttl : given.ttl,
    description: given.description === undefined ? row.description : given.description,
    records,
  }
  const texts = records?.map(({ text }) => text) ?? row.records
  const same = wanted.ttl === row.ttl && wanted.description === row.description && isDeepStrictEqual(texts, row.records)
  const after = same ? row : await changeSet(call, zone, row, wanted, settings.quotaDefaults)
  return tagged(after, shown(call, recordset, after, after.status === 'PENDING' ? 202 : 200))
}

async function remove(call: Call, zone: Zone, row: Recordset): Promise<Reply> {
  mustBeTheirs(call, zone, row)
  mustMatch(call, row)
  mustBeWritable(call, zone)
  mustBeEditable(call, zone, row)
  return shown(call, recordset, await dropSet(call, zone, row), 202)
}
