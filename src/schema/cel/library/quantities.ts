/** `quantity`: resource quantities such as `500m`, `1Gi`, `2e3`, exact as whole nano-units. */
import type { Environment } from '@marcbachmann/cel-js'
import { registerAll } from './registration.ts'

/** Nano-units, the smallest unit of a quantity. */
const scale = 1_000_000_000n

class Quantity {
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }

  compare(other: Quantity): bigint {
    return this.nanos < other.nanos ? -1n : this.nanos > other.nanos ? 1n : 0n
  }
}

const suffixes: Readonly<Record<string, bigint>> = {
  n: 1n,
  u: 1_000n,
  m: 1_000_000n,
  '': scale,
  k: scale * 10n ** 3n,
  M: scale * 10n ** 6n,
  G: scale * 10n ** 9n,
  T: scale * 10n ** 12n,
  P: scale * 10n ** 15n,
  E: scale * 10n ** 18n,
  Ki: scale << 10n,
  Mi: scale << 20n,
  Gi: scale << 30n,
  Ti: scale << 40n,
  Pi: scale << 50n,
  Ei: scale << 60n,
}

export function registerQuantities(environment: Environment): void {
  environment.registerType('kubernetes.Quantity', { ctor: Quantity, fields: {} })
  const wanted = (text: string): Quantity => {
    const quantity = parse(text)
    if (quantity !== undefined) return quantity
    throw new TypeError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
  }
  const integer = (quantity: Quantity): boolean => quantity.nanos % scale === 0n
  registerAll(environment, {
    'quantity(string): kubernetes.Quantity': wanted,
    'isQuantity(string): bool': (text: string) => parse(text) !== undefined,
    'kubernetes.Quantity.isInteger(): bool': integer,
    'kubernetes.Quantity.asInteger(): int': (quantity: Quantity) => {
      if (!integer(quantity)) throw new RangeError('cannot convert value to integer')
      return quantity.nanos / scale
    },
    'kubernetes.Quantity.asApproximateFloat(): double': (quantity: Quantity) => Number(quantity.nanos) / Number(scale),
    'kubernetes.Quantity.sign(): int': (quantity: Quantity) => quantity.compare(new Quantity(0n)),
    'kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity': (a: Quantity, b: Quantity) =>
      new Quantity(a.nanos + b.nanos),
    'kubernetes.Quantity.add(int): kubernetes.Quantity': (a: Quantity, b: bigint) => new Quantity(a.nanos + b * scale),
    'kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity': (a: Quantity, b: Quantity) =>
      new Quantity(a.nanos - b.nanos),
    'kubernetes.Quantity.sub(int): kubernetes.Quantity': (a: Quantity, b: bigint) => new Quantity(a.nanos - b * scale),
    'kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool': (a: Quantity, b: Quantity) => a.compare(b) > 0n,
    'kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool': (a: Quantity, b: Quantity) => a.compare(b) < 0n,
    'kubernetes.Quantity.compareTo(kubernetes.Quantity): int': (a: Quantity, b: Quantity) => a.compare(b),
  })
  environment.registerOperator(
    'kubernetes.Quantity == kubernetes.Quantity',
    (a: Quantity, b: Quantity) => a.nanos === b.nanos,
  )
}

function parse(text: string): Quantity | undefined {
  const parts =
    /^([+-]?)(\d{0,30})(?:\.(\d{0,30}))?(?:([eE][+-]?\d{1,2})|(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?)$/.exec(text)
  if (parts === null) return undefined
  const [, sign, whole = '', fraction = '', exponent, suffix = ''] = parts
  if (whole === '' && fraction === '') return undefined
  let unit = suffixes[suffix] ?? scale
  let digits = BigInt(whole + fraction)
  const power = exponent === undefined ? 0 : Number(exponent.slice(1))
  if (power > 0) unit *= 10n ** BigInt(power)
  const divisor = 10n ** BigInt(fraction.length + Math.max(0, -power))
  digits *= unit
  // Fractions of a nano-unit are rounded up, away from zero.
  const nanos = digits / divisor + (digits % divisor === 0n ? 0n : 1n)
  return new Quantity(sign === '-' ? -nanos : nanos)
}
