import { writeFile } from 'node:fs/promises'
import { schemaFile, schemaText } from '../src/db/schema.ts'

/** Writes `src/db/schema.sql`: what all migrations together make, so that a change of schema shows as a diff. */
await writeFile(schemaFile, await schemaText())
