import { sqliteStore } from '../support/api.ts'
import { networkAddressRules } from './network-addresses.ts'
import { reverseNameRules } from './reverse-names.ts'

for (const rules of [reverseNameRules, networkAddressRules]) rules('SQLite', sqliteStore)
