import { sqliteStore } from '../support/api.ts'
import { leaseRules } from './leases.ts'

leaseRules('SQLite', sqliteStore)
