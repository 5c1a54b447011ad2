import { typeName } from '../dns/types/index.ts'

/** Something wrong with a zone: an error keeps it from working as written, a warning is for a person to judge. */
export type Fault = {
  readonly severity: 'error' | 'warning'
  readonly name: string
  readonly type: number
  /** A sentence that says what is right. */
  readonly message: string
}

type Place = { readonly name: string; readonly type: number }

/** A fault that keeps a zone from working as written. */
export function error({ name, type }: Place, message: string): Fault {
  return { severity: 'error', name, type, message: `${name} ${typeName(type)}: ${message}` }
}

/** A fault for a person to judge. */
export function warning({ name, type }: Place, message: string): Fault {
  return { severity: 'warning', name, type, message: `${name} ${typeName(type)}: ${message}` }
}
