import { sqliteStore } from '../support/api.ts'
import { callerRules } from './callers.ts'
import { collectionRules } from './collections.ts'
import { poolRules } from './pools.ts'
import { requestRules } from './requests.ts'
import { tldAndBlacklistRules } from './tlds-blacklists.ts'

for (const rules of [collectionRules, requestRules, callerRules, poolRules, tldAndBlacklistRules])
  rules('SQLite', sqliteStore)
