import { objectSchema } from './field.ts'
import { type Described, type Fields, readChanges, type ValueIn } from './resource.ts'

/** An object of the API that is not a resource: it has no id, no links, and is in no collection. */
export type Flat<F extends Fields = Fields> = Described & {
  readonly fields: F
  /** What a body sets; refuses with all its faults. */
  readonly update: (body: unknown) => Partial<{ readonly [K in keyof F]: ValueIn<F[K]> }>
}

/** Such an object as the program holds it. */
export type ValuesOf<T> = T extends Flat<infer F> ? { readonly [K in keyof F]: ValueIn<F[K]> } : never

/** Defines such an object by the table of its fields. */
export function flat<const F extends Fields>(
  about: Pick<Described, 'name' | 'plural' | 'purpose'>,
  fields: F,
): Flat<F> {
  const view = objectSchema(fields)
  const isWritable = Object.values(fields).some((field) => field.write === 'always')
  return {
    ...about,
    fields,
    update: (body) => readChanges(about.name, fields, body, {}) as ReturnType<Flat<F>['update']>,
    schema: { view, ...(isWritable && { update: { ...view, required: [] } }) },
  }
}
