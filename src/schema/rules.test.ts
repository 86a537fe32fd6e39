import { describe, expect, it } from 'vitest'
import { CarabinerError } from '../runtime/errors.ts'
import type { Json } from '../runtime/json.ts'
import { compileRule, formatFieldError, type Schema, type ValidationRule, validate } from './index.ts'

const ports: Schema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: { type: 'object', properties: { name: { type: 'string' }, port: { type: 'integer' } } },
}

const properties: Readonly<Record<string, Schema>> = {
  replicas: { type: 'integer' },
  max: { type: 'integer' },
  when: { type: 'string', format: 'date-time' },
  wait: { type: 'string', format: 'duration' },
  limits: { type: 'object', additionalProperties: { type: 'string' } },
  namespace: { type: 'string' },
  'x-y': { type: 'string' },
  note: { type: 'string', nullable: true },
  ports,
}

/** A schema with one rule on a property or on the object. */
function ruled(rule: ValidationRule | string, at?: string): Schema {
  const rules = { 'x-kubernetes-validations': [typeof rule === 'string' ? { rule } : rule] }
  if (at === undefined) return { type: 'object', properties, ...rules }
  if (at === 'ports.items') {
    return { type: 'object', properties: { ...properties, ports: { ...ports, items: { ...ports.items, ...rules } } } }
  }
  return { type: 'object', properties: { ...properties, [at]: { ...properties[at], ...rules } } }
}

function errors(value: Json, schema: Schema, old?: Json): string[] {
  return validate(value, schema, old === undefined ? {} : { old }).map(formatFieldError)
}

describe('x-kubernetes-validations', () => {
  const value = {
    replicas: 5,
    max: 3,
    when: '2024-05-06T07:08:09Z',
    wait: '90s',
    limits: { 'a/b': 'c' },
    namespace: 'ns',
    'x-y': 'dash',
    note: null,
    ports: [{ name: 'http', port: 80 }],
  }

  it('reports a failed rule', () => {
    expect(errors(value, ruled('self.replicas <= self.max'))).toEqual([
      '<nil>: Invalid value: failed rule: self.replicas <= self.max',
    ])
    expect(errors(value, ruled('self <= 3', 'replicas'))).toEqual([
      'replicas: Invalid value: 5: failed rule: self <= 3',
    ])
    expect(errors({ replicas: 1, max: 3 }, ruled('self.replicas <= self.max'))).toEqual([])
  })

  it('uses message, messageExpression, reason and fieldPath of the rule', () => {
    const rule = 'self.replicas <= self.max'
    expect(errors(value, ruled({ rule, message: 'too many' }))).toEqual(['<nil>: Invalid value: too many'])
    const messageExpression = '"%d is more than %d".format([self.replicas, self.max])'
    expect(errors(value, ruled({ rule, messageExpression }))).toEqual(['<nil>: Invalid value: 5 is more than 3'])
    expect(errors(value, ruled({ rule, messageExpression: 'string(1 / 0)', message: 'plain' }))).toEqual([
      '<nil>: Invalid value: plain',
    ])
    expect(
      errors(value, ruled({ rule, message: 'no', reason: 'FieldValueForbidden', fieldPath: '.replicas' })),
    ).toEqual(['replicas: Forbidden: no'])
    expect(errors(value, ruled({ rule: 'false', message: 'no', fieldPath: ".limits['a/b']" }))).toEqual([
      'limits[a/b]: Invalid value: no',
    ])
  })

  it('converts formats to types and escapes names', () => {
    const truths = [
      'self.when.getFullYear() == 2024',
      'self.wait == duration("1m30s")',
      'self.x__dash__y == "dash"',
      'self.__namespace__ == "ns"',
      '!has(self.note)',
      'self.limits["a/b"] == "c"',
    ]
    for (const rule of truths) expect(errors(value, ruled(rule)), rule).toEqual([])
  })

  it('evaluates transition rules only with an old value', () => {
    const immutable = ruled('self == oldSelf', 'replicas')
    expect(errors(value, immutable)).toEqual([])
    expect(errors(value, immutable, { max: 3 })).toEqual([])
    expect(errors(value, immutable, { replicas: 5 })).toEqual([])
    expect(errors(value, immutable, { replicas: 4 })).toEqual([
      'replicas: Invalid value: 5: failed rule: self == oldSelf',
    ])
  })

  it('finds the old element of a list map by its keys', () => {
    const immutable = ruled({ rule: 'self.port == oldSelf.port', message: 'ports stay' }, 'ports.items')
    const old = {
      ports: [
        { name: 'dns', port: 53 },
        { name: 'http', port: 8080 },
      ],
    }
    expect(errors(value, immutable, old)).toEqual(['ports[0]: Invalid value: ports stay'])
    expect(errors(value, immutable, { ports: [{ name: 'other', port: 1 }] })).toEqual([])
  })

  it('passes an optional oldSelf with optionalOldSelf', () => {
    const rule = {
      rule: '!oldSelf.hasValue() || oldSelf.value() <= self',
      optionalOldSelf: true,
      message: 'never less',
    }
    expect(errors(value, ruled(rule, 'replicas'))).toEqual([])
    expect(errors(value, ruled(rule, 'replicas'), { replicas: 6 })).toEqual(['replicas: Invalid value: 5: never less'])
  })

  it('ignores a failed rule on an unchanged value', () => {
    expect(errors({ replicas: 5, max: 1 }, ruled('self <= 3', 'replicas'), { replicas: 5, max: 2 })).toEqual([])
    expect(errors({ replicas: 5 }, ruled('self <= 3', 'replicas'), { replicas: 4 })).toHaveLength(1)
  })

  it('does not evaluate rules on a value with type errors', () => {
    expect(errors({ replicas: 'x', max: 1 }, ruled('self.replicas <= self.max'))).toEqual([
      'replicas: Invalid value: "string": replicas in body must be of type integer: "string"',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ])
  })

  it('reports why a rule could not be evaluated', () => {
    expect(errors({ max: 1 }, ruled('self.replicas <= self.max'))).toEqual([
      '<nil>: Invalid value: "object": no such key: replicas evaluating rule: self.replicas <= self.max',
    ])
    expect(errors({ max: 0 }, ruled('1 / self.max == 1'))[0]).toContain('division by zero evaluating rule')
    expect(errors({ max: 0 }, ruled('self.max +'))[0]).toContain(
      'rule compile error: compilation failed: ERROR: <input>:1:',
    )
  })

  it('stops evaluating rules when their total cost exceeds the budget', () => {
    const list = Array.from({ length: 400 }, (_, index) => index)
    const heavy = { rule: 'self.all(a, self.all(b, a + b >= 0))' }
    const schema: Schema = {
      type: 'object',
      properties: {
        list: {
          type: 'array',
          items: { type: 'integer' },
          'x-kubernetes-validations': Array.from({ length: 40 }, () => ({ ...heavy })),
        },
      },
    }
    const found = errors({ list }, schema)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/running out of cost budget|call cost exceeds limit/)
  })

  it('reports rules of a definition that cannot be compiled', () => {
    expect(() => compileRule({ rule: 'self.a ==' })).toThrow(CarabinerError)
    expect(() => compileRule({ rule: 'true', messageExpression: '1' })).toThrow('must evaluate to a string')
    compileRule({ rule: 'self.a == 1', messageExpression: '"x"' })
    const schema = ruled('true')
    const refused = (rule: string): void => expect(() => compileRule({ rule }, schema), rule).toThrow('undefined field')
    expect(() => compileRule({ rule: 'self.replica == 1' }, schema)).toThrow(
      "compilation failed: ERROR: <input>:1:5: undefined field 'replica'\n | self.replica == 1\n | ....^",
    )
    for (const rule of [
      'has(self.typo)',
      'self.ports.all(p, p.typo == 1)',
      'self.ports[0].typo == 1',
      'self.?typo.hasValue()',
      'oldSelf.typo == self.replicas',
      'self.ports.exists(p, self.typo == p.port)',
      'cel.bind(p, self.ports, p[0].typo == 1)',
    ]) {
      refused(rule)
    }
    for (const rule of [
      'self.ports.all(p, p.port > 0 && has(p.name))',
      'self.limits.anything == "x"',
      'self.x__dash__y == self.__namespace__',
      'self.metadata.name == self.kind',
      'self.ports.map(p, {"a": p.port}).all(x, x.a > 0)',
    ]) {
      compileRule({ rule }, schema)
    }
  })
})
