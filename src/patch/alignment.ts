/**
 * Finds the common elements of two lists, in order; the runs between them have changed. Elements are numbered by their canonical
 * text, so that the search compares small integers.
 */
import { isJsonObject, type Json } from '../runtime/index.ts'
import { equal } from './equal.ts'
import { maxDepth, tooDeep } from './errors.ts'

/** `removed` elements of the old list from index `from` are replaced by `added` elements of the new list from index `to`. */
export interface ChangedRun {
  readonly from: number
  readonly removed: number
  readonly to: number
  readonly added: number
}

/** Above this many comparisons the middle of the lists counts as one changed run. */
const maxCells = 4_000_000

export function alignLists(a: readonly Json[], b: readonly Json[]): ChangedRun[] {
  let start = 0
  while (start < a.length && start < b.length && equal(a[start] as Json, b[start] as Json)) start += 1
  let endA = a.length
  let endB = b.length
  while (endA > start && endB > start && equal(a[endA - 1] as Json, b[endB - 1] as Json)) {
    endA -= 1
    endB -= 1
  }
  const rows = endA - start
  const columns = endB - start
  if (rows === 0 && columns === 0) return []
  if (rows === 0 || columns === 0 || rows * columns > maxCells) {
    return [{ from: start, removed: rows, to: start, added: columns }]
  }
  const ids = new Map<string, number>()
  return runsOf(numbered(a.slice(start, endA), ids), numbered(b.slice(start, endB), ids), start)
}

/** Longest common subsequence by dynamic programming, returned as the runs between its elements. */
function runsOf(left: Int32Array, right: Int32Array, start: number): ChangedRun[] {
  const rows = left.length
  const columns = right.length
  const width = columns + 1
  const common = new Uint32Array((rows + 1) * width)
  const at = (row: number, column: number): number => common[row * width + column] ?? 0
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        left[row] === right[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const runs: ChangedRun[] = []
  let row = 0
  let column = 0
  while (row < rows || column < columns) {
    const from = row
    const to = column
    while ((row < rows || column < columns) && !(row < rows && column < columns && left[row] === right[column])) {
      if (column >= columns || (row < rows && at(row + 1, column) >= at(row, column + 1))) row += 1
      else column += 1
    }
    if (row > from || column > to) {
      runs.push({ from: start + from, removed: row - from, to: start + to, added: column - to })
    }
    while (row < rows && column < columns && left[row] === right[column]) {
      row += 1
      column += 1
    }
  }
  return runs
}

function numbered(list: readonly Json[], ids: Map<string, number>): Int32Array {
  return Int32Array.from(list, (element) => {
    const text = canonical(element, 0)
    const known = ids.get(text)
    if (known !== undefined) return known
    ids.set(text, ids.size)
    return ids.size - 1
  })
}

function canonical(value: Json, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (depth > maxDepth) throw tooDeep()
  if (!isJsonObject(value)) return `[${value.map((element) => canonical(element, depth + 1)).join(',')}]`
  const members = Object.keys(value).sort()
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null, depth + 1)}`).join(',')}}`
}
