/** What is woken when the masters of a secondary zone are to be asked at once; `zone_refreshes` says of which. */
export const refreshTopic = 'zone_refreshes'
