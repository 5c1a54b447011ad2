import type { Kind } from '../kind.ts'
import { bind9 } from './bind9.ts'
import { catalog } from './catalog.ts'
import { nsd4 } from './nsd4.ts'

/** How to speak to each kind of target, by its type. */
export const kinds: Readonly<Record<string, Kind>> = { catalog, bind9, nsd4 }
