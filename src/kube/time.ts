/** Time as the API writes it where seconds are too coarse: leases and events. */
export function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z')
}

/** Time as most fields of the API have it: RFC 3339 with whole seconds. */
export function secondTime(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`
}
