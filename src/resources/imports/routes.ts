import { flat } from '../../api/flat.ts'
import { notFound } from '../../api/resource.ts'
import { type Call, created, listed, noContent, type Route, route, shown } from '../../api/route.ts'
import { faultPage } from './fault-page.ts'
import { faultSchema, made, type ZoneImport, zoneImport } from './fields.ts'
import { type IntakeSettings, importIntake, importParameters, type Taken } from './intake.ts'
import type { RunSettings } from './settings.ts'
import * as store from './store.ts'

export type ImportSettings = IntakeSettings & Pick<RunSettings, 'importMaxChanges'>

const about = { resource: zoneImport } as const

/** What is wrong with a file, in the order in which it was found, page by page. */
const importFaults = flat(
  { name: 'import_faults', plural: 'imports', purpose: 'What is wrong with a zone file that was sent, a page of it.' },
  {
    faults: made({ type: 'array', items: faultSchema }),
    links: made({
      type: 'object',
      properties: { self: { type: 'string' }, next: { type: 'string' } },
      required: ['self'],
    }),
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
      summary: 'List what is wrong with the file of an import',
      returns: 'one',
      status: 200,
      parameters: { limit: { anyOf: [{ type: 'integer', minimum: 1 }, { const: 'max' }] }, marker: { type: 'string' } },
    },
    async (call) => ({ status: 200, body: await faultPage(call, (await importFor(call)).id) }),
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
