/** `semver`: versions such as `1.2.3-rc.1`, compared by the rules of semver.org. */
import type { Environment } from '@marcbachmann/cel-js'
import { registerAll } from './registration.ts'

class Semver {
  readonly numbers: readonly bigint[]
  readonly release: readonly string[]

  constructor(numbers: readonly bigint[], release: readonly string[]) {
    this.numbers = numbers
    this.release = release
  }

  compare(other: Semver): bigint {
    for (const [index, number] of this.numbers.entries()) {
      const theirs = other.numbers[index] ?? 0n
      if (number !== theirs) return number < theirs ? -1n : 1n
    }
    return comparePrereleases(this.release, other.release)
  }
}

export function registerSemver(environment: Environment): void {
  environment.registerType('kubernetes.Semver', { ctor: Semver, fields: {} })
  const wanted = (text: string): Semver => {
    const version = parse(text)
    if (version === undefined) throw new TypeError(`no valid semantic version: ${JSON.stringify(text)}`)
    return version
  }
  registerAll(environment, {
    'semver(string): kubernetes.Semver': wanted,
    'semver(string, bool): kubernetes.Semver': (text: string, normalize: boolean) =>
      wanted(normalize ? normalized(text) : text),
    'isSemver(string): bool': (text: string) => parse(text) !== undefined,
    'isSemver(string, bool): bool': (text: string, normalize: boolean) =>
      parse(normalize ? normalized(text) : text) !== undefined,
    'kubernetes.Semver.major(): int': (version: Semver) => version.numbers[0] ?? 0n,
    'kubernetes.Semver.minor(): int': (version: Semver) => version.numbers[1] ?? 0n,
    'kubernetes.Semver.patch(): int': (version: Semver) => version.numbers[2] ?? 0n,
    'kubernetes.Semver.compareTo(kubernetes.Semver): int': (a: Semver, b: Semver) => a.compare(b),
    'kubernetes.Semver.isLessThan(kubernetes.Semver): bool': (a: Semver, b: Semver) => a.compare(b) < 0n,
    'kubernetes.Semver.isGreaterThan(kubernetes.Semver): bool': (a: Semver, b: Semver) => a.compare(b) > 0n,
  })
  environment.registerOperator('kubernetes.Semver == kubernetes.Semver', (a: Semver, b: Semver) => a.compare(b) === 0n)
}

function parse(text: string): Semver | undefined {
  const number = '(0|[1-9]\\d{0,17})'
  const parts = new RegExp(`^${number}\\.${number}\\.${number}(?:-([0-9A-Za-z.-]+))?(?:\\+([0-9A-Za-z.-]+))?$`).exec(
    text,
  )
  if (parts === null) return undefined
  const release = parts[4]?.split('.') ?? []
  if (release.some((part) => part === '' || /^0\d+$/.test(part)) || parts[5]?.split('.').includes('') === true)
    return undefined
  return new Semver(parts.slice(1, 4).map(BigInt), release)
}

/** Converts `v1.2` to 1.2.0 and removes leading zeros. */
function normalized(text: string): string {
  const parts = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(.*)$/s.exec(text)
  if (parts === null) return text
  return `${[parts[1], parts[2], parts[3]].map((part) => String(Number(part ?? 0))).join('.')}${parts[4]}`
}

function comparePrereleases(a: readonly string[], b: readonly string[]): bigint {
  // A release is greater than its pre-releases.
  if (a.length === 0 || b.length === 0) return BigInt(Math.sign(b.length - a.length))
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const [one = '', other = ''] = [a[index], b[index]]
    if (one === other) continue
    const [numeric, otherNumeric] = [/^\d+$/.test(one), /^\d+$/.test(other)]
    if (numeric && otherNumeric) return BigInt(one) < BigInt(other) ? -1n : 1n
    if (numeric !== otherNumeric) return numeric ? -1n : 1n
    return one < other ? -1n : 1n
  }
  return BigInt(Math.sign(a.length - b.length))
}
