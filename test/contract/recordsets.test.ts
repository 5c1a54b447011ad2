import { sqliteStore } from '../support/api.ts'
import { recordDataRules } from './record-data.ts'
import { recordsetListRules } from './recordset-lists.ts'
import { recordsetRules } from './recordsets.ts'

for (const rules of [recordsetRules, recordDataRules, recordsetListRules]) rules('SQLite', sqliteStore)
