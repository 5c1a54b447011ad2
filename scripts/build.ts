import { execFileSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

// Node runs our TypeScript as it is, but not below node_modules: a package that is installed carries dist/ instead.
rmSync('dist', { recursive: true, force: true })
execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' })
for (const file of globSync('src/**/*.*', { exclude: ['src/**/*.ts'] })) cpSync(file, file.replace(/^src/, 'dist'))
for (const file of globSync('dist/**/*.js')) {
  // The compiler rewrites imports, not the URLs that worker threads are started from.
  const text = readFileSync(file, 'utf8')
  const rewritten = text.replaceAll(/(new URL\((['"])\.{1,2}\/[^'"]+)\.ts\2(?=,\s*import\.meta\.url\))/g, '$1.js$2')
  if (rewritten !== text) writeFileSync(file, rewritten)
}
