import { sqliteStore } from '../support/api.ts'
import { exportRules } from './exports.ts'
import { importRules } from './imports.ts'

importRules('SQLite', sqliteStore)
exportRules('SQLite', sqliteStore)
