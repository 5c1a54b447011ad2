import { deepEqual } from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { root } from './support/program.ts'

const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).map((file) => ({
  file,
  text: readFileSync(join(root, file), 'utf8'),
}))

test('links from document to document lead somewhere', () => {
  const broken = documents.flatMap(({ file, text }) =>
    [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .filter(([, target]) => !existsSync(join(root, dirname(file), target!)))
      .map(([, target]) => `${file}: ${target}`),
  )
  deepEqual(broken, [])
})

test('files and commands that documents name are there', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
  const missing = documents.flatMap(({ file, text }) => [
    ...[...text.matchAll(/`(?:node )?((?:src|scripts|test|bench)\/[\w./-]*\w)`/g)]
      .filter(([, path]) => !path!.includes('NAME') && !existsSync(join(root, path!)))
      .map(([, path]) => `${file}: ${path}`),
    ...[...text.matchAll(/`npm run ([\w:]+)/g)]
      .filter(([, name]) => !Object.hasOwn(scripts, name!))
      .map(([, name]) => `${file}: npm run ${name}`),
  ])
  deepEqual(missing, [])
})
