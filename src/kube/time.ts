/** Time as the API writes it where seconds are too coarse: leases and events. */
export function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z')
}
