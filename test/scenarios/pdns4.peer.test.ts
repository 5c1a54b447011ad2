import { ok } from 'node:assert/strict'
import { startPdnsTarget } from '../support/targets-pdns.ts'
import { deliverySuite } from './delivery.ts'

deliverySuite({
  name: 'pdns4',
  type: 'pdns4',
  start: () => startPdnsTarget(),
  many: 100,
  kills: 1,
  wrong: { options: { api_token: 'another key' }, told: /api_token/ },
  async addStranger({ options }, name) {
    const answer = await fetch(`${options.api_endpoint}/api/v1/servers/localhost/zones`, {
      method: 'POST',
      headers: { 'X-API-Key': String(options.api_token), 'Content-Type': 'application/json' },
      body: JSON.stringify({ name, kind: 'Native', nameservers: [] }),
    })
    ok(answer.ok, await answer.text())
  },
})
