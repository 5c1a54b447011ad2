import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { nameIn } from './import-plan.ts'

for (const [text, name] of [
  ['$ORIGIN a.org.\n@ IN SOA ns admin 1 2 3 4 5\n', 'a.org.'],
  ['; SOA of b.org.\n$TTL 5\nb.org. 60 IN SOA (\n ns. admin. 1 2 3 4 5 )\n', 'b.org.'],
  ['$ORIGIN org.\r\nc 60 SOA ns. admin. 1 2 3 4 5\r\n', 'c.org.'],
  ['$ORIGIN .\nd.org IN SOA ns. admin. 1 2 3 4 5\n', 'd.org.'],
  ['$ORIGIN org. ; above\n$ORIGIN e\n IN SOA ns. admin. 1 2 3 4 5\n', 'e.org.'],
  ['x.org. IN TXT "an SOA here"\n@ IN SOA ns. admin. 1 2 3 4 5\n', undefined],
  ['no zone', undefined],
] as const) {
  test(`[I32] the plan names the zone ${name} of ${JSON.stringify(text)}`, () => equal(nameIn(text), name))
}
