import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { routes } from '../src/resources/index.ts'
import { type Api, sqliteStore, startTestApi } from './support/api.ts'
import type { Document } from './support/openapi.ts'
import { testSettings } from './support/settings.ts'

type Operation = {
  operationId: string
  summary: string
  parameters: { in: string; name: string; required: boolean; schema: object }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>
}

let api: Api
let document: Document
const operations: { place: string; method: string; operation: Operation }[] = []
before(async () => {
  api = await startTestApi(sqliteStore)
  document = (await api.get<Document>('/openapi.json')).body
  for (const [place, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods))
      operations.push({ place, method: method.toUpperCase(), operation: operation as unknown as Operation })
  }
})
after(() => api.close())

test('[H65] the document has every operation and no other', () => {
  equal(document.openapi.startsWith('3.1'), true)
  deepEqual(
    operations.map(({ place, method }) => `${method} ${place}`).toSorted(),
    routes(testSettings)
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted(),
  )
})

test('[H65] each operation has an id of its own, a summary, its path parameters, a success and the error shape', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  deepEqual([...new Set(ids)].length, ids.length)
  for (const { place, method, operation } of operations) {
    const here = `${method} ${place}`
    ok(operation.summary.length > 0, here)
    deepEqual(
      operation.parameters.filter((one) => one.in === 'path' && one.required).map(({ name }) => name),
      [...place.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      here,
    )
    equal(new Set(operation.parameters.map((one) => `${one.in} ${one.name}`)).size, operation.parameters.length, here)
    equal(Object.keys(operation.responses).filter((status) => /^[23]\d\d$/.test(status)).length, 1, here)
    ok(operation.responses.default?.content, here)
    for (const { description } of Object.values(operation.responses)) ok(description.length > 0, here)
  }
})

test('[H65] every schema is valid JSON Schema and every reference leads somewhere', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'api', ...document })
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    ok(ajv.validateSchema(schema), name)
    ajv.compile({ $ref: `api#/components/schemas/${name}` })
  }
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
  ok(references.length > 0)
  for (const [, name] of references) ok(name! in document.components.schemas, name!)
})

test('[H65] the request schemas accept what the service accepts and refuse what it refuses', async () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'api', ...document })
  const cases: [string, string, object][] = [
    ['pools', 'pool_create', { name: 'a', ns_records: [{ hostname: 'a.org.', priority: 1 }], attributes: { a: 'b' } }],
    ['pools', 'pool_create', { name: 'b', description: null, ns_records: null }],
    ['pools', 'pool_create', {}],
    ['pools', 'pool_create', { name: 'c', ns_records: [{ hostname: 'a.org.', priority: 0 }] }],
    ['pools', 'pool_create', { name: 'd', ns_records: [{ hostname: 'a.org.' }] }],
    ['pools', 'pool_create', { name: 'e', id: 'x' }],
    ['pools', 'pool_create', { name: 'x'.repeat(51) }],
    ['tlds', 'tld_create', { name: 'org', description: 'x' }],
    ['tlds', 'tld_create', { name: '' }],
    ['tlds', 'tld_create', { name: 'a', bogus: 1 }],
    ['blacklists', 'blacklist_create', { pattern: 'x' }],
    ['blacklists', 'blacklist_create', { pattern: 5 }],
  ]
  for (const [collection, schema, body] of cases) {
    const { status } = await api.post(`/v2/${collection}`, body)
    const valid = ajv.compile({ $ref: `api#/components/schemas/${schema}` })(body)
    equal(valid, status === 201, `${JSON.stringify(body)}: ${status}`)
  }
})

test('[H65] the page for people shows every resource, operation and field, and loads nothing from elsewhere', async () => {
  const { status, text, headers } = await api.get('/docs')
  equal(status, 200)
  equal(headers.get('Content-Type'), 'text/html; charset=UTF-8')
  for (const { method, path, resource } of routes(testSettings)) {
    ok(text.includes(`<section id="${resource.plural}">`), resource.plural)
    ok(text.includes(`<b>${method}</b> <code>${path}</code>`), `${method} ${path}`)
    for (const field of Object.keys(resource.fields)) ok(text.includes(`<code>${field}</code>`), field)
  }
  deepEqual([...text.matchAll(/(?:src|href)="(?!#|openapi\.json)[^"]*"/g)], [])
  const places = [...text.matchAll(/ id="([^"]*)"/g)].map(([, place]) => place)
  equal(new Set(places).size, places.length, 'one section each')
})
