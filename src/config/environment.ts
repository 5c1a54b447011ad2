import { environmentName, type SettingName, settingNames } from '../config.ts'
import type { Given } from './given.ts'
import { suggestion } from './nearest.ts'

// Kubernetes puts these into every pod beside a Service whose name begins with "nameplane".
const serviceLink = /^NAMEPLANE_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/
const servicePort = /^(tcp|udp|sctp):\/\//

/** What the commands that speak to a service read; people have these set where they start one too. */
const ofClients = ['NAMEPLANE_URL', 'NAMEPLANE_TOKEN', 'NAMEPLANE_PROJECT']

/** Reads the `NAMEPLANE_…` variables; an empty one counts as not set, an unknown one is a fault. */
export function readEnvironment(
  environment: NodeJS.ProcessEnv,
  faults: string[],
): { readonly config: string | undefined; readonly settings: ReadonlyMap<SettingName, Given> } {
  const settings = new Map<SettingName, Given>()
  const names = new Map(settingNames.map((name) => [environmentName(name), name]))
  for (const [variable, text = ''] of Object.entries(environment)) {
    if (!variable.startsWith('NAMEPLANE_') || variable === 'NAMEPLANE_CONFIG' || ofClients.includes(variable)) continue
    if (serviceLink.test(variable) || (variable.endsWith('_PORT') && servicePort.test(text))) continue
    const name = names.get(variable)
    if (name === undefined) {
      faults.push(`${variable} is no setting${suggestion(variable, ['NAMEPLANE_CONFIG', ...names.keys()])}`)
    } else if (text !== '') {
      settings.set(name, { text, origin: `environment ${variable}`, label: variable })
    }
  }
  return { config: environment.NAMEPLANE_CONFIG || undefined, settings }
}
