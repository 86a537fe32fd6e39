/**
 * Formats doubles like jq: the shortest digits that parse to the same value, an exponent of at least two digits, infinities as the
 * largest double, and NaN as null.
 */
const largestDouble = '1.7976931348623157e+308'

export function formatDouble(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e16) return Object.is(value, -0) ? '-0' : String(value)
  if (Number.isNaN(value)) return 'null'
  if (value === Number.POSITIVE_INFINITY) return largestDouble
  if (value === Number.NEGATIVE_INFINITY) return `-${largestDouble}`
  const [mantissa = '', power = '0'] = value.toExponential().split('e')
  const exponent = Number(power)
  const negative = mantissa.startsWith('-')
  const digits = mantissa.replace('-', '').replace('.', '')
  const point = exponent + 1
  const sign = negative ? '-' : ''
  if (point <= -4 || point > digits.length + 15) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
    const size = Math.abs(exponent)
    return `${sign}${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${size < 10 ? '0' : ''}${size}`
  }
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (digits.length <= point) return sign + digits + '0'.repeat(point - digits.length)
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
