/** Compares what is there with what was expected in the fields that were written down, and shows where they differ, line by line. */
import { toYaml } from '../../../kube/manifest/index.ts'
import { equal } from '../../../patch/equal.ts'
import { isJsonObject, type Json } from '../../../runtime/json.ts'

/** Lines with `- ` were expected, lines with `+ ` are there; none when nothing differs. */
export function difference(expected: Json, actual: Json): readonly string[] {
  const comparable = within(actual, expected)
  return equal(expected, comparable) ? [] : lineDifference(linesOf(expected), linesOf(comparable))
}

/** What of `actual` can be compared with `expected`: fields nobody asked for are left out. */
export function within(actual: Json, expected: Json): Json {
  if (Array.isArray(actual) && Array.isArray(expected))
    return actual.map((item: Json, index) => (index < expected.length ? within(item, expected[index] as Json) : item))
  if (!isJsonObject(actual) || !isJsonObject(expected)) return actual
  const shared = Object.keys(expected).filter((key) => key in actual)
  return Object.fromEntries(shared.map((key) => [key, within(actual[key] as Json, expected[key] as Json)]))
}

/** The shortest way from one list of lines to the other. */
export function lineDifference(expected: readonly string[], actual: readonly string[]): readonly string[] {
  // How many lines the ends from here on have in common.
  const common = Array.from({ length: expected.length + 1 }, () => new Array<number>(actual.length + 1).fill(0))
  const at = (left: number, right: number): number => common[left]?.[right] ?? 0
  for (let left = expected.length - 1; left >= 0; left--) {
    const row = common[left] ?? []
    for (let right = actual.length - 1; right >= 0; right--)
      row[right] =
        expected[left] === actual[right]
          ? at(left + 1, right + 1) + 1
          : Math.max(at(left + 1, right), at(left, right + 1))
  }
  const lines: string[] = []
  let [left, right] = [0, 0]
  while (left < expected.length || right < actual.length) {
    const isSame = left < expected.length && right < actual.length && expected[left] === actual[right]
    if (isSame) {
      lines.push(`  ${expected[left++]}`)
      right++
    } else if (right === actual.length || (left < expected.length && at(left + 1, right) >= at(left, right + 1)))
      lines.push(`- ${expected[left++]}`)
    else lines.push(`+ ${actual[right++]}`)
  }
  return lines
}

function linesOf(value: Json): readonly string[] {
  if (Array.isArray(value) && value.length === 0) return []
  return toYaml(value).trimEnd().split('\n')
}
