import { sqliteStore } from '../support/api.ts'
import { listWays } from './list-ways.ts'

listWays('SQLite', sqliteStore)
