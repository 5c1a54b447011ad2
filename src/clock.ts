/** A moment as the API shows it and the database stores it: UTC, six fractional digits, no zone suffix. */
export type Timestamp = string

export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/** Formats a moment as `YYYY-MM-DDTHH:MM:SS.ffffff`, which sorts as text in the order of time. */
export function timestamp(moment: Date): Timestamp {
  return `${moment.toISOString().slice(0, -1)}000`
}
