import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startNsdTarget } from '../support/targets-nsd.ts'
import { deliverySuite } from './delivery.ts'

deliverySuite({
  name: 'nsd4',
  type: 'nsd4',
  start: ({ primary }) => startNsdTarget(primary.port),
  many: 100,
  kills: 1,
  wrong: { options: { certfile: '/nonexistent/nsd_control.pem' }, told: /nonexistent/ },
  async addStranger({ folder }, name) {
    await promisify(execFile)('nsd-control', ['-c', join(folder, 'nsd.conf'), 'addzone', name, 'slave'])
  },
})
