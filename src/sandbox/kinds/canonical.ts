/**
 * Canonical text of a value for semantic equality, as the real controllers compare objects: key order, nulls and empty
 * lists are ignored. Used for template equality and template hashes.
 */

/** Maps and structs for which empty equals absent. */
const emptyMeansAbsent = new Set([
  'labels',
  'annotations',
  'nodeSelector',
  'resources',
  'requests',
  'limits',
  'metadata',
  'strategy',
  'matchLabels',
])

function write(value: unknown, key: string, skip: string | undefined): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined
    return `[${value.map((item) => write(item, '', skip) ?? 'null').join(',')}]`
  }
  const parts: string[] = []
  const record = value as Record<string, unknown>
  for (const name of Object.keys(record).sort()) {
    if (name === skip && key === 'labels') continue
    const text = write(record[name], name, skip)
    if (text !== undefined) parts.push(`${JSON.stringify(name)}:${text}`)
  }
  return parts.length === 0 && emptyMeansAbsent.has(key) ? undefined : `{${parts.join(',')}}`
}

/** `withoutLabel` ignores one label in all `labels`. */
export function canonical(value: unknown, withoutLabel?: string): string {
  return write(value, '', withoutLabel) ?? ''
}

export function semanticallyEqual(one: unknown, other: unknown): boolean {
  return one === other || canonical(one) === canonical(other)
}
