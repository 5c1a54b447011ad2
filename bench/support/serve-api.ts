import { pino } from 'pino'
import { believeHeaders } from '../../src/api/auth.ts'
import { startApi } from '../../src/api/server.ts'
import { systemClock } from '../../src/clock.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openDatabase } from '../../src/db/open.ts'
import { routes } from '../../src/resources/index.ts'
import { quotaPresets } from '../../src/resources/quotas/fields.ts'
import { staticList } from '../../src/resources/reverse-names/sources/static.ts'
import { secretsWith } from '../../src/secrets.ts'

/** The service as users run it, in a process of its own: the data folder, then the database URL if it is PostgreSQL. */
const [dataDir, url] = process.argv.slice(2)
const db = await openDatabase({ url, dataDir: dataDir!, onIdleError: (error) => console.error(error) })
await migrate(db, new Date())
const api = await startApi({
  db,
  routes: routes({
    secrets: secretsWith(new Uint8Array(32)),
    quotaDefaults: quotaPresets.nameplane,
    minTtl: 0,
    maxZoneNameLength: 255,
    maxRecordsetNameLength: 255,
    defaultTtl: 3600,
    managedEmail: 'hostmaster@example.com',
    schedulerFilters: ['default_pool'],
    allowSpecialNames: false,
    recordTypes: undefined,
    purgeAgeSeconds: 604_800,
    adminApi: false,
    importMaxBytes: 1_048_576,
    importMaxChanges: 100_000,
    managedProject: '00000000-0000-0000-0000-000000000000',
    reversePrefixes: { ipv4: 24, ipv6: 64 },
    addressSource: staticList,
  }),
  listen: { host: '127.0.0.1', port: 0 },
  authenticate: believeHeaders,
  maxBodyBytes: 1_048_576,
  defaultLimit: 20,
  maxLimit: 1000,
  publicUrl: undefined,
  trustedProxies: [],
  corsOrigins: [],
  log: pino({ level: 'warn' }),
  clock: systemClock,
})
process.send?.({ port: Number(new URL(api.url).port) })
process.once('disconnect', async () => {
  await api.close()
  await db.close()
})
