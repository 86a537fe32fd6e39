/** Parses quantities such as `250m`, `1.5Gi`, `2e3` to numbers. */
const suffixes: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/** NaN for invalid text. */
export function quantity(value: string | number | undefined): number {
  if (value === undefined) return 0
  if (typeof value === 'number') return value
  const parts = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([a-zA-Z]*))$/.exec(value)
  if (parts === null) return Number.NaN
  const [, digits = '', exponent = '', suffix = ''] = parts
  if (exponent !== '') return Number(`${digits}${exponent}`)
  return Number(digits) * (suffixes[suffix] ?? Number.NaN)
}
