import type { Kind } from '../kind.ts'
import { bind9 } from './bind9.ts'
import { catalog } from './catalog.ts'
import { knot } from './knot.ts'
import { nsd4 } from './nsd4.ts'
import { pdns4 } from './pdns4.ts'

/** How to speak to each kind of target, by its type. */
export const kinds: Readonly<Record<string, Kind>> = { catalog, bind9, knot, nsd4, pdns4 }
