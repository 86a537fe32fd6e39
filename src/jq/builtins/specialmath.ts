/**
 * Gamma, error and Bessel functions, which JavaScript does not have. Precise to about twelve digits, by series and standard integrals.
 */
const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]

export function gamma(x: number): number {
  if (Number.isInteger(x)) {
    if (x <= 0) return x === 0 ? Number.POSITIVE_INFINITY : Number.NaN
    if (x <= 22) {
      let product = 1
      for (let i = 2; i < x; i += 1) product *= i
      return product
    }
  }
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x))
  if (x > 171.7) return Number.POSITIVE_INFINITY
  return Math.exp(logGamma(x))
}

export function logGamma(x: number): number {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? x : Number.POSITIVE_INFINITY
  if (x <= 0 && Number.isInteger(x)) return Number.POSITIVE_INFINITY
  if (x === 1 || x === 2) return 0
  if (x < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - logGamma(1 - x)
  const y = x - 1
  const t = y + 7.5
  const series = lanczos.reduce((sum, coefficient, i) => (i === 0 ? coefficient : sum + coefficient / (y + i)), 0)
  return 0.5 * Math.log(2 * Math.PI) + (y + 0.5) * Math.log(t) - t + Math.log(series)
}

export function erfc(x: number): number {
  if (Number.isNaN(x)) return x
  if (x < 0) return 2 - erfc(-x)
  if (x > 27) return 0
  if (x < 2) {
    let term = x
    let sum = x
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum) && n < 200; n += 1) {
      term *= (-x * x) / n
      sum += term / (2 * n + 1)
    }
    return 1 - (2 / Math.sqrt(Math.PI)) * sum
  }
  let fraction = 0
  for (let n = 120; n > 0; n -= 1) fraction = n / 2 / (x + fraction)
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction)
}

/** Simpson's rule; it converges fast, because the integrands are smooth and periodic. */
function integrate(f: (t: number) => number, from: number, to: number, steps: number): number {
  const width = (to - from) / steps
  let sum = f(from) + f(to)
  for (let i = 1; i < steps; i += 1) sum += f(from + i * width) * (i % 2 === 0 ? 2 : 4)
  return (sum * width) / 3
}

export function besselN(order: number, x: number): number {
  const n = Math.trunc(order)
  const steps = 200 + 4 * Math.ceil(Math.min(Math.abs(x) + Math.abs(n), 5000))
  return integrate((t) => Math.cos(n * t - x * Math.sin(t)), 0, Math.PI, steps * 2) / Math.PI
}

export function besselYN(order: number, x: number): number {
  const n = Math.trunc(order)
  if (x === 0) return Number.NEGATIVE_INFINITY
  if (x < 0 || Number.isNaN(x)) return Number.NaN
  const steps = 400 + 8 * Math.ceil(Math.min(x + Math.abs(n), 5000))
  const wave = integrate((t) => Math.sin(x * Math.sin(t) - n * t), 0, Math.PI, steps * 2)
  const sign = n % 2 === 0 ? 1 : -1
  const reach = Math.asinh(800 / x) + 1
  const decay = integrate(
    (t) => (Math.exp(n * t) + sign * Math.exp(-n * t)) * Math.exp(-x * Math.sinh(t)),
    0,
    reach,
    40_000,
  )
  return (wave - decay) / Math.PI
}

export const bessel0 = (x: number): number => besselN(0, x)
export const bessel1 = (x: number): number => besselN(1, x)
export const besselY0 = (x: number): number => besselYN(0, x)
export const besselY1 = (x: number): number => besselYN(1, x)
