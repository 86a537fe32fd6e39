/**
 * How plain scalars are read in manifests: by the rules of the Go library that kubectl and helm use, which are YAML 1.1 in parts (`yes`
 * and `on` are booleans, `0123` is octal, `<<` merges) and not in others (no timestamps, no base 60). One schema for every file.
 */
import { CORE_SCHEMA, defineScalarTag, FAILSAFE_SCHEMA, mergeTag, NOT_RESOLVED, type Schema } from 'js-yaml'

const booleans = new Map<string, boolean>([
  ...['y', 'yes', 'true', 'on'].flatMap(forms).map((form): [string, boolean] => [form, true]),
  ...['n', 'no', 'false', 'off'].flatMap(forms).map((form): [string, boolean] => [form, false]),
])

function forms(word: string): readonly string[] {
  const capital = word.charAt(0).toUpperCase() + word.slice(1)
  return [word, capital, word.toUpperCase()]
}

const boolTag = defineScalarTag<boolean>('tag:yaml.org,2002:bool', {
  implicit: true,
  implicitFirstChars: [...'yYnNtTfFoO'],
  resolve: (source) => booleans.get(source) ?? NOT_RESOLVED,
  identify: (value) => typeof value === 'boolean',
})

const decimal = /^[-+]?(?:0|[1-9][0-9]*)$/
const prefixed = /^([-+]?)0(?:[xX]([0-9a-fA-F]+)|[bB]([01]+)|[oO]?([0-7]+))$/

function integer(source: string): number | typeof NOT_RESOLVED {
  const plain = source.replaceAll('_', '')
  if (decimal.test(plain)) return Number(plain)
  const match = prefixed.exec(plain)
  if (match === null) return NOT_RESOLVED
  const [, sign, hexadecimal, binary, octal = ''] = match
  const size =
    hexadecimal !== undefined
      ? Number.parseInt(hexadecimal, 16)
      : binary !== undefined
        ? Number.parseInt(binary, 2)
        : Number.parseInt(octal, 8)
  return sign === '-' ? -size : size
}

const intTag = defineScalarTag<number>('tag:yaml.org,2002:int', {
  implicit: true,
  implicitFirstChars: [...'-+0123456789'],
  resolve: integer,
  identify: (value) => Number.isInteger(value) && !Object.is(value, -0),
})

const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/

const floatTag = defineScalarTag<number>('tag:yaml.org,2002:float', {
  implicit: true,
  implicitFirstChars: [...'-+.0123456789'],
  // JSON has no infinities and no NaN, so neither has this schema: such words stay strings.
  resolve(source) {
    const plain = source.replaceAll('_', '')
    return float.test(plain) ? Number(plain) : NOT_RESOLVED
  },
  identify: (value) => typeof value === 'number',
})

export const manifestSchema: Schema = CORE_SCHEMA.withTags(boolTag, intTag, floatTag, mergeTag)

/** Every scalar is a string. */
export const textSchema: Schema = FAILSAFE_SCHEMA.withTags(mergeTag)
