import { sqliteStore } from '../support/api.ts'
import { journalRules } from './journal.ts'
import { managedRules } from './managed.ts'

for (const rules of [managedRules, journalRules]) rules('SQLite', sqliteStore)
