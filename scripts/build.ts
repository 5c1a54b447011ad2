import { execFileSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'

// Node runs our TypeScript as it is, but not below node_modules: a package that is installed carries dist/ instead.
rmSync('dist', { recursive: true, force: true })
execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' })
for (const file of globSync('src/**/*.*', { exclude: ['src/**/*.ts'] })) cpSync(file, file.replace(/^src/, 'dist'))
