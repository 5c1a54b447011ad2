import { integer, objects, text } from '../../api/field.ts'
import { flat } from '../../api/flat.ts'
import { notFound } from '../../api/resource.ts'
import { type Call, created, listed, noContent, type Route, route, shown } from '../../api/route.ts'
import type { Tx } from '../../db/sql.ts'
import { type ZoneImport, zoneImport } from './fields.ts'
import { type IntakeSettings, importIntake, importParameters, type Taken } from './intake.ts'
import type { RunSettings } from './settings.ts'
import * as store from './store.ts'

export type ImportSettings = IntakeSettings & Pick<RunSettings, 'importMaxChanges'>

const about = { resource: zoneImport } as const

/** All that is wrong with a file, in the order of its lines. */
const importFaults = flat(
  { name: 'import_faults', plural: 'imports', purpose: 'All that is wrong with a zone file that was sent.' },
  {
    faults: objects(
      { line: integer(1, 2 ** 40), column: integer(1, 2 ** 40), severity: text(10), message: text(1000) },
      2 ** 31,
    ),
  },
)

export const importRoutes = (settings: ImportSettings): readonly Route[] => [
  route(
    'POST /v2/zones/tasks/imports',
    {
      ...about,
      may: 'create_zone_import',
      summary: 'Import a zone file, to make a zone or to change one',
      returns: 'one',
      status: 202,
      parameters: importParameters,
      intake: importIntake(settings),
    },
    async (call) => {
      const row = await store.insert(call.tx, call.body as Taken)
      return { ...created(call, zoneImport, row), status: 202 }
    },
  ),

  route(
    'GET /v2/zones/tasks/imports',
    { ...about, may: 'find_zone_imports', summary: 'List imports', returns: 'list', status: 200 },
    (call) =>
      listed(call, zoneImport, {
        scope: store.visibleTo(call.caller),
        path: '/zones/tasks/imports',
        fromRow: (row) => zoneImport.fromRow(row),
      }),
  ),

  route(
    'GET /v2/zones/tasks/imports/{import_id}',
    { ...about, may: 'get_zone_import', summary: 'Show an import and how far it is', returns: 'one', status: 200 },
    async (call) => shown(call, zoneImport, await importFor(call)),
  ),

  route(
    'GET /v2/zones/tasks/imports/{import_id}/faults',
    {
      resource: importFaults,
      may: 'get_zone_import',
      operation: 'get_zone_import_faults',
      summary: 'List all that is wrong with the file of an import',
      returns: 'parts',
      status: 200,
    },
    async (call) => {
      const { id } = await importFor(call)
      return { status: 200, stream: faultText(call.tx, id) }
    },
  ),

  route(
    'DELETE /v2/zones/tasks/imports/{import_id}',
    { ...about, may: 'delete_zone_import', summary: 'Forget an import', returns: 'nothing', status: 204 },
    async ({ tx, params, caller }) =>
      (await store.remove(tx, params.import_id, caller)) ? noContent : notFound(zoneImport),
  ),
]

const importFor = async ({ tx, params, caller }: Call<'import_id'>): Promise<ZoneImport> =>
  (await store.get(tx, params.import_id, caller)) ?? notFound(zoneImport)

async function* faultText(tx: Tx, id: string): AsyncGenerator<string, void> {
  yield '{"faults":['
  for (let n = 0; ; n++) {
    const block = await store.faultBlock(tx, id, n)
    if (block === undefined) break
    yield `${n === 0 ? '' : ','}${block.slice(1, -1)}`
  }
  yield ']}'
}
