import { sqliteStore } from '../support/api.ts'
import { catalogZoneRules } from './catalog-zones.ts'

catalogZoneRules('SQLite', sqliteStore)
