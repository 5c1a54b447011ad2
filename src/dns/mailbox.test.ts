import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { TextError } from './errors.ts'
import { mailboxEmail, mailboxName } from './mailbox.ts'

const pairs = [
  ['ops@corp.test', 'ops.corp.test.'],
  ['first.last@corp.test', 'first\\.last.corp.test.'],
  ['dns+zones@corp.test', 'dns+zones.corp.test.'],
  ['a$b@corp.test', 'a\\$b.corp.test.'],
] as const

for (const [email, name] of pairs) {
  test(`${email} is written ${name} in an SOA, and back`, () => {
    equal(mailboxName(email), name)
    equal(mailboxEmail(name), email)
  })
}

for (const bad of [
  '',
  '@',
  'ops',
  'ops@',
  '@corp.test',
  'a@b@c.test',
  'a b@corp.test',
  `${'x'.repeat(64)}@corp.test`,
  'ops@-corp.test',
  'é@corp.test',
  'ops@corp..test',
]) {
  test(`'${bad}' is no e-mail address for a zone`, () => throws(() => mailboxName(bad), TextError))
}
