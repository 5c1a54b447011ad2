import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding, HostPort } from '../kind.ts'
import { masterFindings } from '../master-addresses.ts'
import { findingOf } from '../mendable.ts'
import { heldOf } from './sections.ts'
import type { KnotSession } from './session.ts'
import type { KnotControl } from './transaction.ts'

export type KnotCheck = {
  readonly control: KnotControl
  readonly signal: AbortSignal
  readonly template: string | undefined
  readonly path: string
  readonly masters: readonly HostPort[]
}

/** Looks at all that can be known of a knotd by its control socket. */
export async function checkKnot({ control, signal, template, path, masters }: KnotCheck): Promise<Finding[]> {
  try {
    return await control.session(signal, async (session) => [
      await versionFinding(session, path),
      await databaseFinding(session),
      ...(await transactionFindings(session)),
      await paceFinding(session),
      ...(await masterFindings(masters)),
      ...(template === undefined ? [] : [await templateFinding(session, template)]),
    ])
  } catch (error) {
    return [findingOf(error)]
  }
}

async function versionFinding(session: KnotSession, path: string): Promise<Finding> {
  const { values } = await session.one({ command: 'status', type: 'version' })
  const version = /(\d+)\.(\d+)\S*/.exec(values[0]?.data ?? '')
  const what = `Knot DNS ${version?.[0] ?? 'of an unknown version'} answers at ${path}`
  if (Number(version?.[1] ?? 0) >= 3) return { level: 'ok', what }
  return { level: 'warning', what, mend: 'Use Knot DNS 3.0 or later.' }
}

/** knotd does not tell over its socket whether changes of its configuration last; the way it was started does. */
async function databaseFinding(session: KnotSession): Promise<Finding> {
  const mend =
    'Take the configuration over with knotc conf-import /etc/knot/knot.conf and start knotd with -C /var/lib/knot/confdb (Debian: KNOTD_ARGS in /etc/default/knot).'
  const lost = 'zones are lost with each restart or reload of knotd, until they are given again'
  const args = await startedWith(session)
  if (args === undefined) {
    return {
      level: 'ok',
      what: 'it cannot be seen whether knotd has a configuration database',
      mend: `Without one, ${lost}. ${mend}`,
    }
  }
  if (args.some((arg) => /^(?:-C|--confdb)/.test(arg)))
    return { level: 'ok', what: 'knotd has a configuration database' }
  if (args.some((arg) => /^(?:-c|--config)(?!b)/.test(arg))) {
    return { level: 'error', what: `knotd runs from a configuration file: ${lost}`, mend }
  }
  return {
    level: 'ok',
    what: 'knotd was started without -c and -C: it has a configuration database if there is one in its usual place',
    mend: `Without one, ${lost}. ${mend}`,
  }
}

async function startedWith(session: KnotSession): Promise<string[] | undefined> {
  const read = async (item: string) =>
    (await session.one({ command: 'conf-read', section: 'server', item })).values[0]?.data
  const folder = (await read('rundir')) ?? '/run/knot'
  try {
    const pid = (await readFile(join(folder, (await read('pidfile')) ?? 'knot.pid'), 'utf8')).trim()
    if (!/^\d+$/.test(pid)) return undefined
    const args = (await readFile(`/proc/${pid}/cmdline`, 'latin1')).split('\0')
    return args[0]?.includes('knotd') ? args.slice(1) : undefined
  } catch {
    // Another user's folder, another container, or no Linux: then it is not known.
    return undefined
  }
}

async function transactionFindings(session: KnotSession): Promise<Finding[]> {
  const { errors } = await session.one({ command: 'conf-diff' })
  if (errors.length > 0) return []
  return [
    {
      level: 'warning',
      what: 'a configuration transaction is open: zones can be neither added nor dropped until it has ended',
      mend: 'See what it has with knotc conf-diff, then end it with knotc conf-commit or knotc conf-abort.',
    },
  ]
}

async function paceFinding(session: KnotSession): Promise<Finding> {
  const { values } = await session.one({ command: 'conf-read', section: 'database', item: 'journal-db-mode' })
  if (values[0]?.data === 'asynchronous') return { level: 'ok', what: 'the disk is not waited for with each zone' }
  return {
    level: 'ok',
    what: 'the disk is waited for with each zone that is taken or dropped (journal-db-mode robust)',
    mend: 'database.journal-db-mode asynchronous lets a server that can take all again by transfer have a thousand zones in one second instead of several.',
  }
}

async function templateFinding(session: KnotSession, id: string): Promise<Finding> {
  const held = heldOf(await session.one({ command: 'conf-read', section: 'template', id }))
  if (held === undefined) {
    return {
      level: 'error',
      what: `knotd has no template ${id}`,
      mend: `Make it with knotc (conf-begin, conf-set template[${id}], its master and acl, conf-commit), or remove the option template: then master and acl are set up by Nameplane.`,
    }
  }
  if ((held.get('master') ?? []).length > 0) return { level: 'ok', what: `knotd has the template ${id}` }
  return {
    level: 'error',
    what: `the template ${id} has no master: zones that follow it are taken from nowhere`,
    mend: `Set template[${id}].master to a remote that stands for Nameplane, and template[${id}].acl to one that allows its notify.`,
  }
}
