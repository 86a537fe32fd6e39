/**
 * Lists of exceptions in tools/lists: the findings of a rule when it was introduced. A list may only shrink: a new finding fails the check, and so
 * does an entry that no longer applies, until `--shrink` has removed it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pathOf = (name) => fileURLToPath(new URL(`lists/${name}.json`, import.meta.url))

export function readList(name) {
  return existsSync(pathOf(name)) ? JSON.parse(readFileSync(pathOf(name), 'utf8')) : {}
}

/** How many items have each key. */
export function countBy(items, keyOf) {
  const counts = {}
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1
  return counts
}

/**
 * Compares the numbers found with those of the list and returns the problems. With `shrink` it writes the smaller numbers, or a first list.
 */
export function compareCounts(name, counts, { shrink, hint }) {
  const isNew = !existsSync(pathOf(name))
  const allowed = readList(name)
  const problems = []
  const kept = {}
  for (const key of new Set([...Object.keys(allowed), ...Object.keys(counts)].sort())) {
    const most = allowed[key] ?? 0
    const count = counts[key] ?? 0
    const left = isNew ? count : Math.min(most, count)
    if (left > 0) kept[key] = left
    if (count > most && !(isNew && shrink)) problems.push(`${key}: ${count}, allowed are ${most}; ${hint(key)}`)
    else if (count < most && !shrink)
      problems.push(`${key}: ${count}, tools/lists/${name}.json allows ${most}; run the check with --shrink`)
  }
  if (shrink) writeFileSync(pathOf(name), `${JSON.stringify(kept, null, 2)}\n`)
  return problems
}
