/** Durations in the format of Go (`1h30m10s`, `1.5h`, `500ms`), in milliseconds. */

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

/** The maxDurationMs duration of Go, about 292 years. */
const maxDurationMs = 9_223_372_036_854

export function parseDuration(text: string): number | undefined {
  const parts = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/.exec(text)
  if (parts === null || text.length > 100) return undefined
  let total = 0
  for (const [, amount, unit] of (parts[2] ?? '').matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(amount) * (unitMs[unit ?? ''] ?? 0)
  }
  if (total > maxDurationMs) return undefined
  return parts[1] === '-' ? -total : total
}
