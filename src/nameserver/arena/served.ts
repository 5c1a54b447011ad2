import { answerFrom } from '../../zonedata/answer.ts'
import type { ServedAnswer, ServedZones } from '../server-state.ts'
import type { ArenaReader } from './reader.ts'
import type { ArenaView } from './view.ts'

/** The zones of an arena as the handler asks them: the general path, by the rules of docs/spec/answers.md. */
export function servedFrom(reader: ArenaReader): ServedZones {
  const readyZoneFor = (name: string, type: number): ArenaView | undefined => {
    const zone = reader.zoneFor(name, type)
    return zone?.state === 'ready' ? zone : undefined
  }
  return {
    answer: (question) =>
      reader.consistently((): ServedAnswer | undefined => {
        const zone = reader.zoneFor(question.name, question.type)
        if (zone === undefined) return undefined
        if (zone.state === 'failed') return { state: 'failed', reason: zone.note }
        if (zone.state === 'awaited') return { state: 'awaited', id: zone.note }
        const { origin, serial } = zone
        return { state: 'ready', zone: { origin, serial }, answer: answerFrom(zone, question, readyZoneFor) }
      }),
  }
}
