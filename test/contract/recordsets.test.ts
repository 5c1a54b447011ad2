import { sqliteStore } from '../support/api.ts'
import { recordsetRules } from './recordsets.ts'

for (const rules of [recordsetRules]) rules('SQLite', sqliteStore)
