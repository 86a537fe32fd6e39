/** Compares actual with expected values in the expected fields and lists the differences line by line. */
import { toYaml } from '../../../kube/manifest/index.ts'
import { equal } from '../../../patch/index.ts'
import { isJsonObject, type Json } from '../../../runtime/index.ts'

/** Lines with `- ` are expected, lines with `+ ` are actual; empty when nothing differs. */
export function difference(expected: Json, actual: Json): readonly string[] {
  const comparable = within(actual, expected)
  return equal(expected, comparable) ? [] : lineDifference(linesOf(expected), linesOf(comparable))
}

/** The part of `actual` that is compared: fields that are not in `expected` are removed. */
export function within(actual: Json, expected: Json): Json {
  if (Array.isArray(actual) && Array.isArray(expected))
    return actual.map((item: Json, index) => (index < expected.length ? within(item, expected[index] as Json) : item))
  if (!isJsonObject(actual) || !isJsonObject(expected)) return actual
  const shared = Object.keys(expected).filter((key) => key in actual)
  return Object.fromEntries(shared.map((key) => [key, within(actual[key] as Json, expected[key] as Json)]))
}

/** The shortest line diff (longest common subsequence). */
export function lineDifference(expected: readonly string[], actual: readonly string[]): readonly string[] {
  // common[i][j]: length of the longest common subsequence of the lines from i and from j on.
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
