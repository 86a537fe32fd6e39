/**
 * The functions of the C mathematics library that jq provides.
 */
import type { Json } from '../../runtime/index.ts'
import type { Native } from '../compile/machine.ts'
import { runtimeError } from '../error.ts'
import { describe } from '../values/describe.ts'
import { toDouble } from '../values/kind.ts'
import { bessel0, bessel1, besselN, besselY0, besselY1, besselYN, erfc, gamma, logGamma } from './specialmath.ts'

function number(value: Json | undefined): number {
  const double = value === undefined ? undefined : toDouble(value)
  if (double === undefined) throw runtimeError(`${describe(value ?? null)} number required`)
  return double
}

function one(name: string, apply: (x: number) => number): [string, Native] {
  return [`${name}/0`, (input) => apply(number(input))]
}

function two(name: string, apply: (x: number, y: number) => number): [string, Native] {
  return [`${name}/2`, (_input, [x, y]) => apply(number(x), number(y))]
}

export const mathFunctions: Readonly<Record<string, Native>> = {
  ...Object.fromEntries([
    one('floor', Math.floor),
    one('ceil', Math.ceil),
    one('trunc', Math.trunc),
    one('round', (x) => Math.sign(x) * Math.round(Math.abs(x))),
    one('nearbyint', roundToEven),
    one('rint', roundToEven),
    one('sqrt', Math.sqrt),
    one('cbrt', Math.cbrt),
    one('fabs', Math.abs),
    one('exp', Math.exp),
    one('exp2', (x) => 2 ** x),
    one('exp10', (x) => 10 ** x),
    one('pow10', (x) => 10 ** x),
    one('expm1', Math.expm1),
    one('log', Math.log),
    one('log2', Math.log2),
    one('log10', Math.log10),
    one('log1p', Math.log1p),
    one('logb', (x) => (x === 0 ? Number.NEGATIVE_INFINITY : Number.isFinite(x) ? exponentOf(x) - 1 : Math.abs(x))),
    one('significand', (x) => (x === 0 || !Number.isFinite(x) ? x : x / 2 ** (exponentOf(x) - 1))),
    one('sin', Math.sin),
    one('cos', Math.cos),
    one('tan', Math.tan),
    one('asin', Math.asin),
    one('acos', Math.acos),
    one('atan', Math.atan),
    one('sinh', Math.sinh),
    one('cosh', Math.cosh),
    one('tanh', Math.tanh),
    one('asinh', Math.asinh),
    one('acosh', Math.acosh),
    one('atanh', Math.atanh),
    one('gamma', logGamma),
    one('lgamma', logGamma),
    one('tgamma', gamma),
    one('erf', (x) => 1 - erfc(x)),
    one('erfc', erfc),
    one('j0', bessel0),
    one('j1', bessel1),
    one('y0', besselY0),
    one('y1', besselY1),
    two('jn', besselN),
    two('yn', besselYN),
    two('pow', (x, y) => (x === 1 ? 1 : x ** y)),
    two('atan2', Math.atan2),
    two('fmin', (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.min(x, y))),
    two('fmax', (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.max(x, y))),
    two('fmod', (x, y) => x % y),
    two('fdim', (x, y) => (x > y ? x - y : Number.isNaN(x) || Number.isNaN(y) ? Number.NaN : 0)),
    two('hypot', Math.hypot),
    two('copysign', (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x))),
    two('ldexp', scale),
    two('scalb', scale),
    two('scalbln', scale),
    two('drem', remainder),
    two('remainder', remainder),
    two('nextafter', nextAfter),
    two('nexttoward', nextAfter),
  ]),
  'fma/3': (_input, [x, y, z]) => number(x) * number(y) + number(z),
  'frexp/0': (input) => {
    const x = number(input)
    if (x === 0 || !Number.isFinite(x)) return [x, 0]
    const exponent = exponentOf(x)
    return [scale(x, -exponent), exponent]
  },
  'modf/0': (input) => {
    const x = number(input)
    return Number.isFinite(x) ? [x - Math.trunc(x), Math.trunc(x)] : [Number.isNaN(x) ? x : 0, x]
  },
  'lgamma_r/0': (input) => {
    const x = number(input)
    return [logGamma(x), gamma(x) < 0 ? -1 : 1]
  },
  'infinite/0': () => Number.POSITIVE_INFINITY,
  'nan/0': () => Number.NaN,
  'isinfinite/0': (input) => Math.abs(toDouble(input) ?? 0) === Number.POSITIVE_INFINITY,
  'isnan/0': (input) => Number.isNaN(toDouble(input)),
  'isnormal/0': (input) => {
    const x = Math.abs(toDouble(input) ?? 0)
    return x >= 2 ** -1022 && x < Number.POSITIVE_INFINITY
  },
}

/** The exponent of the power of two above the magnitude, so that x / 2^result is in [0.5, 1). */
function exponentOf(x: number): number {
  let exponent = Math.max(-1074, Math.floor(Math.log2(Math.abs(x))) + 1)
  while (Math.abs(scale(x, -exponent)) >= 1) exponent += 1
  while (Math.abs(scale(x, -exponent)) < 0.5) exponent -= 1
  return exponent
}

/** In two steps, so that no factor overflows before the product does. */
function scale(x: number, power: number): number {
  const bounded = Math.max(-2200, Math.min(2200, Math.trunc(power)))
  const half = Math.trunc(bounded / 2)
  return x * 2 ** half * 2 ** (bounded - half)
}

function roundToEven(x: number): number {
  const floor = Math.floor(x)
  const rest = x - floor
  if (rest !== 0.5) return Math.round(x)
  return floor % 2 === 0 ? floor : floor + 1
}

function remainder(x: number, y: number): number {
  if (!Number.isFinite(x) || y === 0 || Number.isNaN(y)) return Number.NaN
  return Number.isFinite(y) ? x - roundToEven(x / y) * y : x
}

function nextAfter(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN
  if (x === y) return y
  if (x === 0) return y > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, x)
  const away = y > x === x > 0
  view.setBigInt64(0, view.getBigInt64(0) + (away ? 1n : -1n))
  return view.getFloat64(0)
}
