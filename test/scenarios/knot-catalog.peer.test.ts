import { startKnotCatalog } from '../support/targets-catalog.ts'
import { deliverySuite } from './delivery.ts'

deliverySuite({
  name: 'Knot by catalog',
  type: 'catalog',
  start: (source) => startKnotCatalog(source),
  many: 100,
  kills: 1,
})
