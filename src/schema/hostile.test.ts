/** Hostile schemas and values: each is processed or rejected with an error code, quickly. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CarabinerError } from '../runtime/errors.ts'
import type { Json } from '../runtime/json.ts'
import { applyDefaults, checkStructural, compileRegex, prune, readSchema, type Schema, validate } from './index.ts'
import { RegexSyntaxError } from './regex/error.ts'

const name = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '')

const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.oneof(fc.constantFrom<Json>(null, true, 0, -1, 2.5, 1e300, '', 'aaab'), fc.string({ maxLength: 4 })),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
})).value

const schema = fc.letrec<{ schema: Schema }>((tie) => {
  const child = tie('schema')
  return {
    schema: fc.oneof(
      { maxDepth: 2, depthSize: 'small' },
      fc.constant<Schema>({}),
      fc
        .record(
          {
            type: fc.constantFrom('object', 'array', 'string', 'integer', 'number', 'boolean', 'null', '__proto__', ''),
            format: fc.constantFrom('date-time', 'duration', 'email', 'hostname', 'uri', '__proto__'),
            properties: fc.dictionary(name, child, { maxKeys: 3 }),
            patternProperties: fc.dictionary(fc.constantFrom('^a', '(a+)+$', '.*'), child, { maxKeys: 1 }),
            additionalProperties: fc.oneof(fc.boolean(), child),
            items: child,
            required: fc.array(name, { maxLength: 2 }),
            default: value,
            enum: fc.array(value, { maxLength: 2 }),
            nullable: fc.boolean(),
            allOf: fc.array(child, { maxLength: 2 }),
            anyOf: fc.array(child, { maxLength: 2 }),
            oneOf: fc.array(child, { maxLength: 2 }),
            not: child,
            dependencies: fc.dictionary(name, fc.array(name, { maxLength: 1 }), { maxKeys: 1 }),
            minimum: fc.double(),
            multipleOf: fc.double(),
            maxLength: fc.integer({ min: -1, max: 3 }),
            pattern: fc.constantFrom('^[a-z]+$', '(a|a)*b'),
            'x-kubernetes-list-type': fc.constantFrom('set' as const, 'map' as const),
            'x-kubernetes-list-map-keys': fc.array(name, { maxLength: 2 }),
            'x-kubernetes-embedded-resource': fc.boolean(),
            'x-kubernetes-preserve-unknown-fields': fc.boolean(),
            'x-kubernetes-validations': fc.array(
              fc.record({
                rule: fc.constantFrom('self.a == 1', 'self.all(x, x == self)', 'self == oldSelf', '}{', 'true'),
              }),
              { maxLength: 1 },
            ),
          },
          { requiredKeys: [] },
        )
        .map((made) => made as Schema),
    ),
  }
}).schema

describe('hostile schemas and values', () => {
  it('are processed or rejected and never change a prototype', () => {
    const before = Object.getOwnPropertyNames(Object.prototype).join()
    fc.assert(
      fc.property(schema, value, value, (made, one, other) => {
        // As parsed from JSON, with own members of any name.
        const [wire, now, old] = JSON.parse(JSON.stringify([made, one, other])) as [Json, Json, Json]
        const shape = readSchema(wire, 'schema')
        const text = JSON.stringify([shape, now, old])
        try {
          validate(now, shape)
          validate(now, shape, { old, closed: true, helm: true })
          applyDefaults(now, shape)
          prune(now, shape, { root: true })
          checkStructural(shape, 's')
        } catch (error) {
          expect(error).toBeInstanceOf(CarabinerError)
        }
        expect(JSON.stringify([shape, now, old])).toBe(text)
      }),
      { numRuns: 1000 },
    )
    expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before)
  })

  it('are accepted only when every keyword has the right type', () => {
    const outcomes = new Set<boolean>()
    const keyword = fc.constantFrom('type', 'properties', 'required', 'items', 'enum', 'minimum', 'allOf', 'pattern')
    const anything = fc.dictionary(keyword, fc.oneof(value, fc.constantFrom<Json>('object', {}, [], ['a'])), {
      maxKeys: 2,
    })
    fc.assert(
      fc.property(anything, value, (made, one) => {
        const [wire, now] = JSON.parse(JSON.stringify([made, one])) as [Json, Json]
        try {
          validate(now, readSchema(wire, 'schema'))
          outcomes.add(true)
        } catch (error) {
          expect(error).toBeInstanceOf(CarabinerError)
          outcomes.add(false)
        }
      }),
      { numRuns: 1000 },
    )
    expect(outcomes.size).toBe(2)
    expect(() => readSchema({ properties: { a: { maxLength: 'x' } } }, 'values.yaml')).toThrow(
      'values.yaml.properties.a.maxLength must be a number, found "x"',
    )
    const whole = { type: 'object', properties: { a: { type: 'string' } } }
    expect(readSchema(whole, 'x')).toBe(whole)
    expect(readSchema({ type: null, default: null }, 'x')).toEqual({ default: null })
  })

  it('are rejected when they are nested too deeply', () => {
    const deep = JSON.parse(`${'[{"a":'.repeat(5000)}1${'}]'.repeat(5000)}`) as Json
    const list: { items?: Schema } & Schema = { items: { properties: {} } }
    const endless = list as { items: { properties: Record<string, Schema> } }
    endless.items.properties['a'] = list
    for (const run of [() => validate(deep, list), () => applyDefaults(deep, list), () => prune(deep, list)]) {
      expect(run).toThrow('nested deeper than 1000 levels')
    }
  })

  it('patterns match in linear time', () => {
    const text = 'a'.repeat(100_000)
    const long: Schema = { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' }
    expect(validate(text, long)).toHaveLength(1)
    for (const format of [
      'duration',
      'email',
      'hostname',
      'uri',
      'date-time',
      'byte',
      'cidr',
      'isbn',
      'creditcard',
      'mac',
    ]) {
      validate(text, { type: 'string', format })
      validate('1'.repeat(100_000), { type: 'string', format })
      validate(`${'a.'.repeat(50_000)}@`, { type: 'string', format })
    }
  })

  it('messages say when a pattern is invalid', () => {
    expect(validate('x', { type: 'string', pattern: '(' }).map(({ detail }) => detail)).toEqual([
      " in body should match '(, but pattern is invalid: error parsing regexp: missing closing ): `(`'",
    ])
  })

  it('fuzzed patterns are parsed or rejected', () => {
    const piece = fc.constantFrom(
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '*',
      '+',
      '?',
      '|',
      '\\',
      '^',
      '$',
      '.',
      '-',
      ',',
      '1',
      '9',
      'a',
      'p',
      'Q',
      'x',
      ':',
      '<',
      'P',
      'i',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.string({ maxLength: 20 }), (pieces, subject) => {
        try {
          compileRegex(pieces.join('')).find(subject)
        } catch (error) {
          expect(error).toBeInstanceOf(RegexSyntaxError)
        }
      }),
      { numRuns: 3000 },
    )
  })
})
