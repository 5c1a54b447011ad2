import { startBindCatalog } from '../support/targets-catalog.ts'
import { deliverySuite } from './delivery.ts'

deliverySuite({
  name: 'BIND by catalog',
  type: 'catalog',
  start: (source) => startBindCatalog(source),
  many: 1000,
  kills: 2,
})
