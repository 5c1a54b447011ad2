import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startKnotTarget } from '../support/targets-knot.ts'
import { deliverySuite } from './delivery.ts'

deliverySuite({
  name: 'knot',
  type: 'knot',
  start: () => startKnotTarget(),
  many: 1000,
  kills: 2,
  wrong: { options: { socket: '/nonexistent/knot.sock' }, told: /socket/ },
  async addStranger({ options }, name) {
    const knotc = (...args: string[]) => promisify(execFile)('knotc', ['-s', String(options.socket), ...args])
    await knotc('conf-begin')
    await knotc('conf-set', `zone[${name}]`)
    await knotc('conf-commit')
  },
})
