import { secondaryRules } from './secondary.ts'

secondaryRules('SQLite', async () => undefined)
