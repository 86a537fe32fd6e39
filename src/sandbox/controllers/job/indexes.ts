/** Index sets in the format of Job status: `1,3-5,7`. */
export function parseIndexes(text: string | undefined, below: number): ReadonlySet<number> {
  const result = new Set<number>()
  for (const part of (text ?? '').split(',')) {
    if (part === '') continue
    const [from = Number.NaN, to = from] = part.split('-').map(Number)
    for (let index = from; index <= Math.min(to, below - 1); index++) result.add(index)
  }
  return result
}

/** Two consecutive indexes are separated by a comma, three or more form a range. */
export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...indexes].sort((one, other) => one - other)
  const parts: string[] = []
  for (let from = 0; from < sorted.length; ) {
    let to = from
    while (sorted[to + 1] === (sorted[to] ?? 0) + 1) to++
    if (to - from >= 2) parts.push(`${sorted[from]}-${sorted[to]}`)
    else for (let index = from; index <= to; index++) parts.push(String(sorted[index]))
    from = to + 1
  }
  return parts.join(',')
}
