import { integer } from '../../api/field.ts'
import { flat } from '../../api/flat.ts'

const quota = () => integer(-1, 2_147_483_647)
const count = () => integer(0, 2_147_483_647)

export const limits = flat(
  {
    name: 'limits',
    plural: 'limits',
    purpose:
      'The bounds the service holds you to: the quotas of your project (-1 is no limit), and what is the same for all.',
  },
  {
    max_zones: quota(),
    max_zone_recordsets: quota(),
    max_zone_records: quota(),
    max_recordset_records: quota(),
    min_ttl: count(),
    max_zone_name_length: count(),
    max_recordset_name_length: count(),
    max_page_limit: count(),
  },
)
