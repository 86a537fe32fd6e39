/** Validates a cron schedule: five fields or a predefined schedule. */
interface Bounds {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
]
const descriptors = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'])

/** The error message of the real parser; undefined for a valid schedule. */
export function scheduleFault(schedule: string): string | undefined {
  const bare = schedule.replace(/^(CRON_)?TZ=\S+\s+/, '').trim()
  if (bare.startsWith('@every ')) {
    return /^@every ([0-9.]+(ns|us|µs|ms|s|m|h))+$/.test(bare)
      ? undefined
      : `failed to parse duration ${bare}: time: invalid duration ${JSON.stringify(bare.slice(7))}`
  }
  if (bare.startsWith('@')) return descriptors.has(bare) ? undefined : `unrecognized descriptor: ${bare}`
  const parts = bare.split(/\s+/)
  if (parts.length !== 5) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`
  for (const [index, part] of parts.entries()) {
    const bounds = fields[index]
    if (bounds === undefined) continue
    for (const range of part.split(',')) {
      const fault = rangeFault(range, bounds)
      if (fault !== undefined) return fault
    }
  }
  return undefined
}

function rangeFault(range: string, bounds: Bounds): string | undefined {
  const [span = '', step, ...more] = range.split('/')
  if (more.length > 0) return `too many slashes: ${range}`
  const [low = '', high, ...rest] = span.split('-')
  if (rest.length > 0) return `too many hyphens: ${range}`
  let start = bounds.min
  let end = bounds.max
  if (low !== '*' && low !== '?') {
    const first = numberOf(low, bounds)
    if (first === undefined) return parseFault(low)
    start = first
    const last = high === undefined ? first : numberOf(high, bounds)
    if (last === undefined) return parseFault(high ?? '')
    end = high === undefined && step !== undefined ? bounds.max : last
  }
  if (step !== undefined) {
    const size = numberOf(step, { min: 0, max: 0 })
    if (size === undefined) return parseFault(step)
    if (size === 0) return `step of range should be a positive number: ${range}`
  }
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${range}`
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${range}`
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`
  return undefined
}

function numberOf(text: string, { names, min }: Bounds): number | undefined {
  const named = names?.indexOf(text.toLowerCase()) ?? -1
  if (named >= 0) return named + min
  return /^\d+$/.test(text) ? Number(text) : undefined
}

function parseFault(text: string): string {
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`
}
