import { messageRows } from './dns/messages.ts'
import { zoneFileRows } from './dns/zonefile.ts'
import { report } from './support/report.ts'

await report('dns', async (options) => [...(await messageRows(options)), ...(await zoneFileRows(options))])
