import { sqliteStore } from '../support/api.ts'
import { zoneRules } from './zones.ts'

for (const rules of [zoneRules]) rules('SQLite', sqliteStore)
