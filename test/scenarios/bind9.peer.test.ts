import { startBindTarget } from '../support/targets-bind9.ts'
import { deliverySuite } from './delivery.ts'

deliverySuite({
  name: 'bind9',
  type: 'bind9',
  start: () => startBindTarget(),
  many: 100,
  kills: 2,
  isWipedUnseen: true,
  wrong: { options: { rndc_key_secret: Buffer.from('another key').toString('base64') }, told: /key/ },
})
