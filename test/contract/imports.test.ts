import { sqliteStore } from '../support/api.ts'
import { exportRules } from './exports.ts'
import { importQueueRules } from './import-queue.ts'
import { importRules } from './imports.ts'

importRules('SQLite', sqliteStore)
importQueueRules('SQLite', sqliteStore)
exportRules('SQLite', sqliteStore)
