/** Times in request bodies: accepts RFC 3339 with any offset, returns UTC with whole seconds or microseconds. */
const shape = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

export function canonicalTime(text: string, precision: 'seconds' | 'micros'): string | undefined {
  const match = shape.exec(text)
  if (match === null) return undefined
  const [, date, time, fraction = '', offset] = match
  const instant = Date.parse(`${date}T${time}${offset}`)
  if (Number.isNaN(instant) || (precision === 'micros' && fraction.length !== 7)) return undefined
  const seconds = new Date(instant).toISOString().slice(0, 19)
  return precision === 'seconds' ? `${seconds}Z` : `${seconds}${fraction}Z`
}

/** The error message of Go for an invalid time. */
export function timeFault(text: string, precision: 'seconds' | 'micros'): string {
  const layout = precision === 'seconds' ? '2006-01-02T15:04:05Z07:00' : '2006-01-02T15:04:05.000000Z07:00'
  const match = shape.exec(text)
  const rest = match === null ? text : text.slice(19)
  const wanted = match === null ? '2006' : '.000000'
  return `parsing time ${JSON.stringify(text)} as "${layout}": cannot parse ${JSON.stringify(rest)} as "${wanted}"`
}
