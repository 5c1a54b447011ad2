import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

type Operation = {
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: object }> }>>
}

/** An OpenAPI document, as far as tests look into it. */
export type Document = {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

export type CheckAnswer = (answer: { method: string; path: string; status: number; body: unknown }) => void

/** Reads the service's document and gives a check that throws when an answer is not what it promises. */
export async function documentedAnswers(url: string): Promise<CheckAnswer> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'api', ...document })
  const compiled = new Map<string, ValidateFunction>()

  return ({ method, path, status, body }) => {
    const at = findPlace(document, path.replace('/openstack/v2', '/v2'))
    const pointer = at && status < 400 ? answerPointer(document, at, method.toLowerCase()) : undefined
    const reference = status >= 400 ? '#/components/schemas/Error' : pointer
    if (reference === undefined || body === undefined) return
    let validate = compiled.get(reference)
    if (!validate) {
      validate = ajv.compile({ $ref: `api${reference}` })
      compiled.set(reference, validate)
    }
    if (!validate(body)) {
      throw new Error(
        `${method} ${path} answered what /openapi.json does not allow: ${ajv.errorsText(validate.errors)}`,
      )
    }
  }
}

/** The template in the document that a path belongs to. */
export function findPlace(document: Document, path: string): string | undefined {
  const steps = path.replace(/\?.*$/s, '').replace(/\/$/, '').split('/')
  const fits = (template: string) => {
    const parts = template.split('/')
    return parts.length === steps.length && parts.every((part, i) => part.startsWith('{') || part === steps[i])
  }
  return Object.keys(document.paths).find(fits)
}

function answerPointer(document: Document, place: string, method: string): string | undefined {
  const responses = document.paths[place]?.[method]?.responses ?? {}
  const status = Object.keys(responses).find((one) => one.startsWith('2'))
  if (status === undefined || responses[status]?.content === undefined) return undefined
  const escaped = place.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')
  return `#/paths/${escaped}/${method}/responses/${status}/content/application~1json/schema`
}
