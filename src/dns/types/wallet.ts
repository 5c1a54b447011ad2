import { defineType } from '../define.ts'
import { texts } from '../fields/strings.ts'

/** Public wallet address: the currency, then the address. */
export const WALLET = defineType({
  type: 'WALLET',
  code: 262,
  rfc: 'WALLET/wallet-completed-template',
  fields: { wallet: texts },
  examples: ['"BTC" "bc1qexampleaddress"'],
  rejects: ['"BTC'],
})
