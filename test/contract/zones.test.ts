import { sqliteStore } from '../support/api.ts'
import { zoneNameRules } from './zone-names.ts'
import { zoneRules } from './zones.ts'

for (const rules of [zoneRules, zoneNameRules]) rules('SQLite', sqliteStore)
