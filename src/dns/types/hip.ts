import { defineType } from '../define.ts'
import { hostIdentity } from '../fields/identity.ts'
import { domainNames } from '../fields/names.ts'

/** Host identity protocol: the identity of a host, and rendezvous servers that know where it is. */
export const HIP = defineType({
  type: 'HIP',
  code: 55,
  rfc: 8005,
  fields: { identity: hostIdentity, servers: domainNames },
  examples: [
    '2 200100107B1A74DF365639CC39F1D578 AwEAAbdxyhNuSutc5EMzxTs9',
    '2 200100107B1A74DF365639CC39F1D578 AwEAAbdxyhNuSutc5EMzxTs9 rvs1.example.com. rvs2.example.com.',
  ],
  also: { '2 200100107b1a74df365639cc39f1d578 AQID': '2 200100107B1A74DF365639CC39F1D578 AQID' },
  rejects: ['2 00', '2 0 AQID', '256 00 AQID', '2 00 AQI', '2 00 AQID rvs1', `2 ${'00'.repeat(256)} AQID`],
})
