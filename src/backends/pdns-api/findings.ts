import type { TsigKey } from '../../dns/tsig.ts'
import type { Finding, HostPort } from '../kind.ts'
import { masterFindings } from '../master-addresses.ts'
import { canonical, fieldsOf, isSameKey, problemOf } from './answers.ts'
import type { PdnsApi } from './client.ts'
import { idOf } from './ids.ts'

/** What is looked at: the server, where it takes zones from, and the key that its transfers are signed with, ours or one that it has by name. */
export type Checked = {
  readonly api: PdnsApi
  readonly masters: readonly HostPort[]
  readonly key: TsigKey | undefined
  readonly keyName: string | undefined
  readonly signal: AbortSignal
}

type Settings = ReadonlyMap<string, string>

/** For how long PowerDNS keeps whole answers, and what its database has and has not. */
const answerCaches = ['cache-ttl', 'query-cache-ttl', 'negquery-cache-ttl']
const mostCacheSeconds = 5

/** Looks whether a PowerDNS can take zones from us. */
export async function checkServer(checked: Checked): Promise<Finding[]> {
  const { api, signal } = checked
  const server = await api.call({ method: 'GET', path: '', signal })
  const { version, daemon_type } = fieldsOf(server.body)
  if (server.status !== 200 || daemon_type !== 'authoritative')
    return [
      {
        level: 'error',
        what: `what answers at ${api.at} is not the API of a PowerDNS Authoritative Server`,
        mend: 'let api_endpoint name the webserver-address and webserver-port of pdns.conf, with api=yes there',
      },
    ]
  const config = await api.call({ method: 'GET', path: '/config', signal })
  const settings: Settings = new Map(
    (Array.isArray(config.body) ? config.body : []).map((setting: unknown) => {
      const { name, value } = fieldsOf(setting)
      return [String(name), String(value)]
    }),
  )
  return [
    versionFinding(String(version), api.at),
    ...settingFindings(settings),
    ...(await masterFindings(checked.masters)),
    ...(await keyFindings(checked)),
  ]
}

function versionFinding(version: string, at: string): Finding {
  const what = `PowerDNS ${version} answers at ${at}`
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? []
  const isOld = Number(major) > 0 && Number(major) * 100 + Number(minor) < 407
  if (!isOld) return { level: 'ok', what }
  return { level: 'warning', what: `${what}, which is older than 4.7`, mend: 'install PowerDNS 4.7 or later' }
}

function settingFindings(settings: Settings): Finding[] {
  const isSecondary = [settings.get('secondary'), settings.get('slave')].includes('yes')
  const findings: Finding[] = [
    isSecondary
      ? { level: 'ok', what: 'it takes zones from primaries (secondary=yes)' }
      : {
          level: 'error',
          what: 'it takes no zones from primaries',
          mend: 'set secondary=yes in pdns.conf and restart PowerDNS',
        },
  ]
  if (settings.get('allow-notify-from') === '')
    findings.push({
      level: 'error',
      what: 'it takes no NOTIFY: allow-notify-from is empty',
      mend: 'let allow-notify-from in pdns.conf have the address of this service in it',
    })
  const longest = Math.max(...answerCaches.map((name) => Number(settings.get(name) ?? 0)))
  if (longest > mostCacheSeconds)
    findings.push({
      level: 'warning',
      what: `it keeps answers for up to ${longest} seconds, and so may hide a change or a new zone for as long`,
      mend: `set ${answerCaches.map((name) => `${name}=1`).join(', ')} in pdns.conf and restart PowerDNS`,
    })
  return findings
}

async function keyFindings({ api, key, keyName, signal }: Checked): Promise<Finding[]> {
  const name = keyName ?? key?.name
  if (name === undefined) return []
  const answer = await api.call({ method: 'GET', path: `/tsigkeys/${idOf(canonical(name))}`, signal })
  if (answer.status === 200) {
    if (key === undefined || isSameKey(fieldsOf(answer.body), key))
      return [{ level: 'ok', what: `it has the TSIG key ${name}` }]
    return [
      {
        level: 'warning',
        what: `it has another algorithm or secret for the TSIG key ${name}`,
        mend: 'nothing need be done: the key is made right with the next zone that is added',
      },
    ]
  }
  if (answer.status !== 404)
    return [{ level: 'error', what: `it does not tell of the TSIG key ${name}: ${problemOf(answer)?.reason}` }]
  if (key !== undefined) return [{ level: 'ok', what: `the TSIG key ${name} is made with the first zone` }]
  return [
    {
      level: 'error',
      what: `it does not have the TSIG key ${name} that tsigkey_name names`,
      mend: `make it with pdnsutil import-tsig-key ${name} ALGORITHM SECRET, or give this target a tsigkey_id instead`,
    },
  ]
}
