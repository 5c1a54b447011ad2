import { errorTypes } from '../errors.ts'
import type { Schema } from './field.ts'
import type { Described } from './resource.ts'
import type { Route } from './route.ts'

/** The whole API as an OpenAPI 3.1 document, made from the routes and the field tables. */
export function openApi(routes: readonly Route[], server: string): object {
  const resources = new Map(routes.map((route) => [route.resource.name, route.resource]))
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    paths[route.path]![route.method.toLowerCase()] = operation(route)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Nameplane',
      version: '2.4',
      description: 'DNS management. The same operations stand under /openstack/v2, speaking as Designate does.',
    },
    servers: [{ url: server }],
    paths,
    components: { schemas: { ...schemas([...resources.values()]), Error: errorSchema } },
  }
}

function operation(route: Route): object {
  const writes = route.method === 'POST' ? 'create' : 'update'
  return {
    summary: route.summary,
    operationId: route.operation ?? route.may,
    tags: [route.resource.plural],
    parameters: [
      ...pathParameters(route),
      ...(route.returns === 'list' ? listParameters(route.resource) : []),
      ...ownParameters(route),
    ],
    ...(['POST', 'PATCH', 'PUT'].includes(route.method) &&
      route.body !== 'none' && {
        requestBody: {
          required: route.body === undefined,
          content: bodyContent(route, writes),
        },
      }),
    responses: {
      [route.status]: {
        description: route.summary,
        ...(route.returns !== 'nothing' && { content: answerContent(route) }),
      },
      default: { description: 'What went wrong', content: json(reference('Error')) },
    },
  }
}

const bodyContent = ({ resource, intake }: Route, writes: string): object =>
  intake === undefined
    ? json(reference(`${resource.name}_${writes}`))
    : Object.fromEntries(Object.entries(intake.types).map(([type, schema]) => [type, { schema }]))

const answerContent = (route: Route): object =>
  route.answers === undefined ? json(answerSchema(route)) : { [route.answers]: { schema: { type: 'string' } } }

const ownParameters = ({ parameters = {} }: Route): object[] =>
  Object.entries(parameters).map(([name, schema]) => parameter('query', name, schema))

function answerSchema({ returns, resource }: Route): Schema {
  if (returns !== 'list') return reference(resource.name)
  return {
    type: 'object',
    properties: {
      [resource.plural]: { type: 'array', items: reference(resource.name) },
      links: { type: 'object', properties: { self: { type: 'string' }, next: { type: 'string' } }, required: ['self'] },
      metadata: { type: ['object', 'null'] },
    },
    required: [resource.plural, 'links'],
  }
}

const pathParameters = ({ path, text = [] }: Route): object[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
    parameter('path', name!, text.includes(name!) ? { type: 'string' } : { type: 'string', format: 'uuid' }),
  )

function listParameters({ fields }: Described): object[] {
  const names = Object.keys(fields)
  const sortable = names.filter((name) => fields[name]!.sort)
  const text = { type: 'string' }
  return [
    parameter('query', 'limit', { anyOf: [{ type: 'integer', minimum: 1 }, { const: 'max' }] }),
    parameter('query', 'marker', { type: 'string', format: 'uuid' }),
    parameter('query', 'sort_key', { enum: sortable, default: 'created_at' }),
    parameter('query', 'sort_dir', { enum: ['asc', 'desc'], default: 'asc' }),
    ...names.filter((name) => fields[name]!.filter).map((name) => parameter('query', name, text)),
  ]
}

const parameter = (place: 'path' | 'query', name: string, schema: Schema) => ({
  in: place,
  name,
  required: place === 'path',
  schema,
})

const schemas = (things: readonly Described[]): Record<string, Schema> =>
  Object.fromEntries(
    things.flatMap(({ name, purpose, schema }) => [
      [name, { description: purpose, ...schema.view }],
      ...(schema.create ? [[`${name}_create`, schema.create]] : []),
      ...(schema.update ? [[`${name}_update`, schema.update]] : []),
    ]),
  )

const errorSchema: Schema = {
  type: 'object',
  properties: {
    code: { type: 'integer' },
    type: { enum: Object.keys(errorTypes) },
    message: { type: 'string' },
    request_id: { type: 'string' },
    errors: {
      type: 'object',
      properties: {
        errors: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              path: { type: 'array', items: { type: ['string', 'integer'] } },
              message: { type: 'string' },
              validator: { type: 'string' },
              validator_value: {},
            },
            required: ['path', 'message', 'validator', 'validator_value'],
          },
        },
      },
    },
  },
  required: ['code', 'type', 'message', 'request_id'],
}

const json = (schema: Schema) => ({ 'application/json': { schema } })
const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
