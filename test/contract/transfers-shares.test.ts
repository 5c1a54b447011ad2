import { sqliteStore } from '../support/api.ts'
import { adminRules } from './admin.ts'
import { serviceStatusRules } from './service-statuses.ts'
import { shareRules } from './shares.ts'
import { transferRules } from './transfers.ts'
import { zoneTaskRules } from './zone-tasks.ts'

for (const rules of [transferRules, shareRules, zoneTaskRules, serviceStatusRules, adminRules]) {
  rules('SQLite', sqliteStore)
}
