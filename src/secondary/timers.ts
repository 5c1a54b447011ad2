/** The timers of a zone's SOA, in seconds. */
export type SoaTimers = { readonly refresh: number; readonly retry: number; readonly expire: number }

const [leastRefresh, mostRefresh] = [60, 2_419_200]
const [leastRetry, mostRetry] = [30, 1_209_600]
const firstRetry = 5

const within = (seconds: number, least: number, most: number): number => Math.min(most, Math.max(least, seconds))

const later = (now: Date, seconds: number): Date => new Date(now.getTime() + Math.round(seconds * 1000))

/** When masters that answered are asked again; `spread` (0 to 1) makes it up to a tenth earlier, so that zones do not come all at once. */
export const nextRefresh = ({ refresh }: SoaTimers, now: Date, spread: number): Date =>
  later(now, within(refresh, leastRefresh, mostRefresh) * (1 - spread / 10))

/** When masters of which none could be taken from are asked again. A zone without content tries more often at first. */
export function nextRetry({ retry }: SoaTimers, now: Date, failures: number, hasContent: boolean): Date {
  const wait = within(retry, leastRetry, mostRetry)
  return later(now, hasContent ? wait : Math.min(wait, firstRetry * 2 ** Math.min(failures - 1, 20)))
}

/** Until when content may be served that no master has confirmed since now: never less than it takes to ask twice. */
export const expiry = ({ refresh, retry, expire }: SoaTimers, now: Date): Date =>
  later(now, Math.max(expire, within(refresh, leastRefresh, mostRefresh) + within(retry, leastRetry, mostRetry)))
