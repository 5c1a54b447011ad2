import { isDeepStrictEqual } from 'node:util'
import type { TargetType } from '../target-kinds.ts'
import { addressKey } from './pools-read.ts'
import type { TargetView } from './pools-state.ts'
import { optionsOf, type TargetOptions, type WantedTarget, withPresets } from './pools-targets.ts'

export type Matched = {
  /** What is wanted and there, perhaps with other values. */
  readonly both: readonly { readonly wanted: WantedTarget; readonly present: TargetView }[]
  readonly added: readonly WantedTarget[]
  readonly removed: readonly TargetView[]
}

/**
 * Finds which target of a file is which of the service: they have no ids in files. First those that are alike in all,
 * then those that are the same server by ever fewer signs, so that a change of a target is not taken for another target.
 */
export function matchTargets(wanted: readonly WantedTarget[], present: readonly TargetView[]): Matched {
  const both: { wanted: WantedTarget; present: TargetView }[] = []
  let [open, free] = [[...wanted], [...present]]
  for (const isSame of signs) {
    open = open.filter((one) => {
      const found = free.find((other) => one.type === other.type && isSame(one, other))
      if (found === undefined) return true
      both.push({ wanted: one, present: found })
      free = free.filter((other) => other !== found)
      return false
    })
  }
  return { both, added: open, removed: free }
}

/** Whether all but the secrets is alike. */
export const isAlike = (wanted: WantedTarget, present: TargetView): boolean =>
  wanted.description === present.description &&
  wanted.tsigkey_id === present.tsigkey_id &&
  isDeepStrictEqual(wanted.masters.map(addressKey), present.masters.map(addressKey)) &&
  isDeepStrictEqual(comparable(wanted.type, wanted.options), comparable(wanted.type, present.options))

/** Every option with the value that holds. */
export function comparable(type: TargetType, options: TargetOptions): TargetOptions {
  const all = withPresets(type, options)
  return Object.fromEntries(
    Object.keys(optionsOf(type)).flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])),
  )
}

const controlOptions = ['rndc_host', 'rndc_port', 'socket', 'control_host', 'control_port', 'api_endpoint', 'view']
const dnsOptions = ['host', 'port']

const agreesIn = (names: readonly string[]) => (wanted: WantedTarget, present: TargetView) => {
  const [ours, theirs] = [comparable(wanted.type, wanted.options), comparable(wanted.type, present.options)]
  return names.every((name) => ours[name] === theirs[name])
}

const hasControl = (wanted: WantedTarget) => controlOptions.some((name) => Object.hasOwn(optionsOf(wanted.type), name))
const agreesInControl = agreesIn(controlOptions)

const signs: readonly ((wanted: WantedTarget, present: TargetView) => boolean)[] = [
  isAlike,
  agreesIn([...controlOptions, ...dnsOptions]),
  (wanted, present) => hasControl(wanted) && agreesInControl(wanted, present),
  agreesIn([...dnsOptions, 'view']),
]
