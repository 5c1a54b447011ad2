import { equal, match, ok } from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { root, startProgram } from './support/program.ts'
import { type Service, startService } from './support/service.ts'

let service: Service
let folder: string
before(async () => {
  service = await startService()
  folder = mkdtempSync(join(tmpdir(), 'nameplane-cli-'))
})
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await service.stop()
})

const soa = '@ 300 IN SOA ns.old. admin.example.org. 5 1 2 3 4\n@ 300 IN NS ns.old.\n'

function written(name: string, text: string): string {
  const file = join(folder, name)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  return file
}

async function cli(...args: readonly string[]): Promise<{ code: unknown; out: string; err: string }> {
  const program = startProgram(process.execPath, [join(root, 'bin', 'nameplane'), ...args], {
    cwd: folder,
    env: { NAMEPLANE_URL: service.url },
  })
  const code = await program.ended
  return { code, out: program.stdout(), err: program.stderr() }
}

test('[I30] import makes a zone of a file, and export writes it; the name may come from that of the file', async () => {
  const file = written('db.plain.org', `${soa}www 300 IN A 192.0.2.1\n`)
  const imported = await cli('import', file)
  equal(imported.code, 0, imported.err + imported.out)
  match(imported.out, /plain\.org\. imported \(3 records read\)/)
  const exported = await cli('export', 'plain.org')
  equal(exported.code, 0, exported.err)
  match(exported.out, /^\$ORIGIN plain\.org\.\n\$TTL 300\n\n/)
  match(exported.out, /^www\.plain\.org\. 300 IN A 192\.0\.2\.1$/m)
  const several = await cli('export', '--output', folder, 'plain.org.')
  equal(several.code, 0, several.err)
  equal(readFileSync(join(folder, 'plain.org.zone'), 'utf8'), exported.out)
  const made = join(folder, 'made', 'here')
  equal((await cli('export', '--output', made, 'plain.org.')).code, 0)
  equal(readFileSync(join(made, 'plain.org.zone'), 'utf8'), exported.out)
  for (const wrong of [file, join(file, 'below')]) {
    const { code, err } = await cli('export', '--output', wrong, 'plain.org.')
    equal(code, 1)
    match(err, /^nameplane: cannot make the folder .*db\.plain\.org.*\n$/)
  }
  mkdirSync(join(folder, 'taken', 'plain.org.zone'), { recursive: true })
  const taken = await cli('export', '--output', join(folder, 'taken'), 'plain.org.')
  equal(taken.code, 1)
  match(taken.err, /^nameplane: cannot write .*plain\.org\.zone: .*\n$/)
  const none = await cli('export', 'nowhere.org')
  equal(none.code, 1)
  match(none.err, /there is no zone nowhere\.org\./)
})

test('[I31] what is wrong is told as file:line:column, and the command fails', async () => {
  const file = written('bad.org.zone', `${soa}www 300 IN A 192.0.2.256\nx 300 IN MX here\n`)
  const { code, out } = await cli('import', file)
  equal(code, 1)
  ok(out.includes(`${file}:3:14: error: address must be`), out)
  ok(out.includes(`${file}:4:`), out)
  equal(out.split('address must be').length, 2, 'told once')
  match(out, /0 zones done, 1 failed, 0 warnings\.$/m)
  const twice = written('twice.org.zone', `$ORIGIN twice.org.\n${soa}`)
  equal((await cli('import', twice)).code, 0)
  const again = await cli('import', twice)
  equal(again.code, 1)
  match(again.out, /Duplicate zone\. Use --mode replace or --mode merge/)
})

test('[I32] of a folder the plan is shown first, with the names of zones, and done with --yes; nobody to ask ends it with 2', async () => {
  const where = join(folder, 'zones')
  written('zones/one.example.zone', `$ORIGIN one.example.\n${soa}`)
  written('zones/deep/two.example', `${soa}a 300 IN A 192.0.2.1\n`)
  written('zones/readme.txt', 'no zone')
  const plan = await cli('import', where)
  equal(plan.code, 2)
  match(plan.out, /^2 zone files to import:/)
  match(plan.out, /^ {2}create {2}one\.example\. {2}\S+one\.example\.zone {2}/m)
  match(plan.out, /^ {2}create {2}two\.example\. {2}\S+two\.example {2}/m)
  match(plan.out, /leave out {2}.*readme\.txt: no SOA/)
  match(plan.err, /nobody is here to say yes.*--yes/)
  equal((await cli('export', 'two.example')).code, 1)
  const done = await cli('import', '--yes', where)
  equal(done.code, 0, done.out)
  match(done.out, /2 zones done, 0 failed/)
  equal((await cli('export', 'two.example')).code, 0)
})

test('[I33] a named.conf imports the primary zones it names, from the files it names', async () => {
  written(
    'etc/named.conf',
    `
    // comment; with { braces
    options { directory "../var"; listen-on { any; }; };
    include "more.conf";
    zone "conf.example" IN { type master; file "conf.db"; allow-transfer { none; }; }; # other
    zone "second.example" { type slave; file "s.db"; masters { 192.0.2.1; }; };
    /* zone "dead.example" { type master; file "x"; }; */
    view "inside" { zone "view.example" { type primary; file "view.db"; }; };`,
  )
  written('var/more.conf', 'zone "." { type hint; file "root.hints"; };')
  written('var/conf.db', `$TTL 60\n${soa}www IN A 192.0.2.1\n`)
  written('var/view.db', soa)
  const plan = await cli('import', join(folder, 'etc/named.conf'))
  match(plan.out, /^2 zone files to import:/)
  match(plan.out, /second\.example\.: its type is slave/)
  const done = await cli('import', '--yes', join(folder, 'etc/named.conf'))
  equal(done.code, 0, done.out + done.err)
  match((await cli('export', 'conf.example')).out, /^www\.conf\.example\. 60 IN A 192\.0\.2\.1$/m)
  equal((await cli('export', 'view.example')).code, 0)
})

test('[I34] --dry-run and --mode go to the service; wrong flags and no service are told plainly', async () => {
  const file = written('modes.example.zone', `$ORIGIN modes.example.\n${soa}www 300 IN A 192.0.2.1\n`)
  equal((await cli('import', file)).code, 0)
  writeFileSync(file, `$ORIGIN modes.example.\n${soa}www 300 IN A 192.0.2.2\n`)
  const tried = await cli('import', '--mode', 'replace', '--dry-run', file)
  equal(tried.code, 0, tried.out)
  match(
    tried.out,
    /record sets: 0 created, 1 updated, 0 deleted\n {2}update www\.modes\.example\. A\n {4}- 192\.0\.2\.1\n {4}\+ 192\.0\.2\.2/,
  )
  equal((await cli('import', '--mode=replace', file)).code, 0)
  match((await cli('export', 'modes.example')).out, /192\.0\.2\.2/)
  equal((await cli('import', '--bogus', file)).code, 2)
  equal((await cli('import')).code, 2)
  const away = await cli('import', '--url', 'http://127.0.0.1:9', file)
  equal(away.code, 1)
  match(away.err, /cannot reach the service at http:\/\/127\.0\.0\.1:9/)
})
