/** `MicroTime` of the API, for leases and events. */
export function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z')
}

/** `Time` of the API: RFC 3339 with whole seconds. */
export function secondTime(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`
}
