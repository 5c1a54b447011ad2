import { sqliteStore } from '../support/api.ts'
import { poolDeliveryRules } from './pool-delivery.ts'
import { poolServerRules } from './pool-servers.ts'
import { poolTargetRules } from './pool-targets.ts'

for (const rules of [poolTargetRules, poolDeliveryRules, poolServerRules]) rules('SQLite', sqliteStore)
