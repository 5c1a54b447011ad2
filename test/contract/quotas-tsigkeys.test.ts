import { sqliteStore } from '../support/api.ts'
import { quotaRules } from './quotas.ts'
import { tsigkeyRules } from './tsigkeys.ts'

quotaRules('SQLite', sqliteStore)
tsigkeyRules('SQLite', sqliteStore)
