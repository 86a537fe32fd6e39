/**
 * Quantities such as `500m`, `1.5Gi`, `2e3`: parsed exactly, formatted canonically like the real API server, compared
 * as numbers. Values are integers of nano units, the smallest unit of the API.
 */
const decimal = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const shape = /^([+-]?)(\d+\.?\d*|\.\d+)(|n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+)$/
const nano = 1_000_000_000n

type Form = 'decimal' | 'binary' | 'exponent'

interface Quantity {
  readonly nanos: bigint
  readonly form: Form
}

export const quantityFault =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

export function readQuantity(text: string): Quantity | undefined {
  const match = shape.exec(text)
  if (match === null) return undefined
  const [, sign, digits = '0', suffix = ''] = match
  const [whole = '0', fraction = ''] = digits.split('.')
  const unscaled = BigInt(`${whole}${fraction}` || '0')
  const factor = factorOf(suffix)
  const scaled = unscaled * factor.numerator * nano
  const divisor = factor.denominator * 10n ** BigInt(fraction.length)
  // Smaller fractions are rounded away from zero.
  const nanos = (scaled + divisor - 1n) / divisor
  const form = suffix.endsWith('i') ? 'binary' : /^[eE]./.test(suffix) ? 'exponent' : 'decimal'
  return { nanos: sign === '-' ? -nanos : nanos, form }
}

function factorOf(suffix: string): { numerator: bigint; denominator: bigint } {
  if (suffix.endsWith('i')) return { numerator: 1024n ** BigInt(binary.indexOf(suffix)), denominator: 1n }
  const exponent = decimal.includes(suffix) ? (decimal.indexOf(suffix) - 3) * 3 : Number(suffix.slice(1))
  const power = 10n ** BigInt(Math.abs(exponent))
  return exponent >= 0 ? { numerator: power, denominator: 1n } : { numerator: 1n, denominator: power }
}

/** The canonical text: no fraction, the largest possible suffix. */
export function writeQuantity({ nanos, form }: Quantity): string {
  if (nanos === 0n) return '0'
  const isWhole = nanos % nano === 0n
  if (form === 'binary' && isWhole && (nanos >= 1024n * nano || nanos <= -1024n * nano))
    return writeBinary(nanos / nano)
  let value = nanos
  let step = 0
  while (value % 1000n === 0n && step < decimal.length - 1) {
    value /= 1000n
    step++
  }
  if (form !== 'exponent') return `${value}${decimal[step] ?? ''}`
  const exponent = (step - 3) * 3
  return exponent === 0 ? String(value) : `${value}e${exponent}`
}

function writeBinary(whole: bigint): string {
  let value = whole
  let step = 0
  while (value % 1024n === 0n && step < binary.length - 1) {
    value /= 1024n
    step++
  }
  return `${value}${binary[step] ?? ''}`
}

/** The canonical text of a quantity; undefined when it is invalid. */
export function canonicalQuantity(text: string): string | undefined {
  const quantity = readQuantity(text)
  return quantity === undefined ? undefined : writeQuantity(quantity)
}

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`; invalid text counts as zero. */
export function compareQuantities(a: string, b: string): number {
  const left = readQuantity(a)?.nanos ?? 0n
  const right = readQuantity(b)?.nanos ?? 0n
  return left < right ? -1 : left > right ? 1 : 0
}
