import { describe, expect, it } from 'vitest'
import type { Json } from '../runtime/json.ts'
import {
  applyDefaults,
  checkStructural,
  extendSchema,
  formatFieldError,
  prune,
  type Schema,
  validate,
} from './index.ts'
// Schemas, values and results recorded from the implementation in Kubernetes 1.36.
import vectors from './vectors.generated.json' with { type: 'json' }

interface Vector {
  readonly schema: Schema
  readonly value: Json
  readonly old?: Json
  readonly errors: readonly string[]
  readonly defaulted?: Json
  readonly pruned?: Json
  readonly unknown?: readonly string[]
  readonly structural?: readonly string[]
}

function errors(value: Json, schema: Schema, old?: Json): string[] {
  return validate(value, schema, old === undefined ? {} : { old }).map(formatFieldError)
}

describe('recorded results', () => {
  for (const [index, vector] of (vectors as unknown as readonly Vector[]).entries()) {
    it(`number ${index}: errors, defaults, pruning and structure are as recorded`, () => {
      const { schema, value } = vector
      const before = JSON.stringify(value)
      expect(errors(value, schema, vector.old).sort()).toEqual(vector.errors)
      expect(applyDefaults(value, schema)).toEqual(vector.defaulted ?? value)
      expect(prune(value, schema, { root: true })).toEqual({
        value: vector.pruned ?? value,
        unknown: vector.unknown ?? [],
      })
      const structural = checkStructural(schema, 's').map(formatFieldError)
      expect(structural.sort()).toEqual([...(vector.structural ?? [])].sort())
      expect(JSON.stringify(value)).toBe(before)
    })
  }
})

const schema: Schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', maxLength: 5, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
        replicas: { type: 'integer', format: 'int32', minimum: 0, default: 1 },
        when: { type: 'string', format: 'date-time' },
        port: { 'x-kubernetes-int-or-string': true },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: {
              port: { type: 'integer' },
              protocol: { type: 'string', default: 'TCP', enum: ['TCP', 'UDP'] },
            },
          },
        },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        limits: { type: 'object', additionalProperties: { type: 'string' } },
        raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        note: { type: 'string', nullable: true, default: 'none' },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    },
  },
}

describe('validate', () => {
  it('finds all errors with the messages of the API server', () => {
    const value: Json = {
      spec: {
        name: 'much-too-long',
        replicas: 'three',
        when: 'yesterday',
        port: 1.5,
        ports: [
          { port: 1, protocol: 'TCP' },
          { port: 1, protocol: 'SCTP' },
          { port: 1, protocol: 'TCP' },
        ],
        tags: ['a', 'b', 'a'],
        limits: { cpu: 1 },
        template: { kind: 'Pod' },
      },
    }
    expect(errors(value, schema)).toEqual([
      'spec.name: Too long: may not be more than 5 bytes',
      'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
      'spec.when: Invalid value: "yesterday": spec.when in body must be of type date-time: "yesterday"',
      'spec.port: Invalid value: "number": spec.port in body must be of type integer,string: "number"',
      'spec.ports[1].protocol: Unsupported value: "SCTP": supported values: "TCP", "UDP"',
      'spec.limits.cpu: Invalid value: "integer": spec.limits.cpu in body must be of type string: "integer"',
      'spec.template.apiVersion: Required value',
      'spec.ports[2]: Duplicate value: {"port":1,"protocol":"TCP"}',
      'spec.tags[2]: Duplicate value: "a"',
    ])
    expect(errors({}, schema)).toEqual(['spec: Required value'])
    expect(errors({ spec: { name: '-x', replicas: -1 } }, schema)).toEqual([
      `spec.name: Invalid value: "-x": spec.name in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'`,
      'spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0',
    ])
  })

  it('errors contain path, value and rule', () => {
    expect(validate({ spec: { name: 'a', replicas: -1 } }, schema)).toEqual([
      {
        type: 'FieldValueInvalid',
        field: 'spec.replicas',
        badValue: -1,
        detail: 'spec.replicas in body should be greater than or equal to 0',
        rule: 'minimum',
      },
    ])
  })

  it('adds a prefix to paths', () => {
    const status: Schema = { type: 'object', properties: { phase: { type: 'string' } } }
    expect(validate({ phase: 1 }, status, { path: 'status' }).map(formatFieldError)).toEqual([
      'status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
    ])
  })

  it('ignores errors in unchanged parts of an update', () => {
    const bad = { spec: { name: 'TOO-BAD', replicas: 1 } }
    expect(errors({ spec: { ...bad.spec, replicas: 2 } }, schema, bad)).toEqual([])
    expect(errors({ spec: { ...bad.spec, name: 'WORSE' } }, schema, bad)).toHaveLength(1)
  })

  it('counts characters, not UTF-16 units', () => {
    const text: Schema = { type: 'string', maxLength: 2, minLength: 2 }
    expect(errors('😀😀', text)).toEqual([])
    expect(errors('😀', text)).toHaveLength(1)
    expect(errors('😀😀😀', text)).toHaveLength(1)
  })

  it('__proto__ and constructor are plain members', () => {
    const value = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2, "a": "b"}') as Json
    const closed: Schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['toString'] }
    expect(errors(value, { ...closed, additionalProperties: { type: 'string' } })).toEqual([
      '__proto__: Invalid value: "object": __proto__ in body must be of type string: "object"',
      'constructor: Invalid value: "integer": constructor in body must be of type string: "integer"',
      'toString: Required value',
    ])
    expect(prune(value, closed)).toEqual({ value: { a: 'b' }, unknown: ['__proto__', 'constructor'] })
    const defaults = JSON.parse(
      '{"properties": {"__proto__": {"type": "object", "default": {"polluted": 1}}}}',
    ) as Schema
    expect(JSON.stringify(applyDefaults({}, defaults))).toBe('{"__proto__":{"polluted":1}}')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('applyDefaults', () => {
  it('sets missing members, replaces null where it is not allowed, and keeps the rest', () => {
    const value = { spec: { name: 'a', replicas: null, note: null, ports: [{ port: 1 }], limits: { a: 'b' } } }
    const result = applyDefaults(value, schema) as typeof value
    expect(result).toEqual({
      spec: { name: 'a', replicas: 1, note: null, ports: [{ port: 1, protocol: 'TCP' }], limits: { a: 'b' } },
    })
    expect(result.spec.limits).toBe(value.spec.limits)
    const whole = { spec: { name: 'a', replicas: 2, note: 'x' } }
    expect(applyDefaults(whole, schema)).toBe(whole)
  })
})

describe('prune', () => {
  it('removes and reports unknown members and keeps the rest', () => {
    const value = {
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name: 'x', anything: 1 },
      spec: { name: 'a', extra: 1, ports: [{ port: 1, x: 2 }], raw: { kept: { y: 1 } }, limits: { cpu: '1' } },
      other: {},
    }
    const pruned = prune(value, schema, { root: true })
    expect(pruned.unknown).toEqual(['other', 'spec.extra', 'spec.ports[0].x'])
    expect(pruned.value).toEqual({
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name: 'x', anything: 1 },
      spec: { name: 'a', ports: [{ port: 1 }], raw: { kept: { y: 1 } }, limits: { cpu: '1' } },
    })
    expect((pruned.value as typeof value).spec.raw).toBe(value.spec.raw)
    const clean = { spec: { name: 'a' } }
    expect(prune(clean, schema, { root: true }).value).toBe(clean)
  })
})

describe('checkStructural', () => {
  it('has the errors of the API server for a CustomResourceDefinition', () => {
    const broken: Schema = {
      type: 'object',
      additionalProperties: true,
      properties: {
        a: {},
        b: { type: 'array' },
        c: { type: 'string', pattern: '(' },
        d: { type: 'object', anyOf: [{ type: 'string', properties: { e: { minimum: 1 } } }] },
        metadata: { type: 'object', properties: { labels: { type: 'object' } } },
      },
    }
    expect(checkStructural(broken, 's').map(formatFieldError)).toEqual([
      's.additionalProperties: Forbidden: must not be used at the root',
      's.properties[a].type: Required value: must not be empty for specified object fields',
      's.properties[b].items: Required value: must be specified',
      's.properties[c].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
      's.properties[d].anyOf[0].type: Forbidden: must be empty to be structural',
      's.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ])
    expect(checkStructural(schema, 's')).toEqual([])
  })
})

describe('schemas of values files', () => {
  const config: Schema = {
    type: 'object',
    required: ['replicas'],
    properties: { replicas: { type: 'integer' }, logLevel: { type: 'string', default: 'info' } },
  }
  const values: Schema = {
    'x-extend': { schema: 'config-values.yaml' },
    type: 'object',
    properties: {
      internal: {
        type: 'object',
        properties: { ca: { type: 'string' } },
        'x-required-for-helm': ['ca'],
      },
    },
  }
  const extended = extendSchema(values, (name) => (name === 'config-values.yaml' ? config : undefined))

  it('inherits from the other schema', () => {
    expect(Object.keys(extended.properties ?? {})).toEqual(['replicas', 'logLevel', 'internal'])
    expect(extended.required).toEqual(['replicas'])
    expect(() => extendSchema(values, () => undefined)).toThrow('"config-values.yaml", which does not exist')
  })

  it('forbids unlisted members at every level', () => {
    const value = { replicas: 1, typo: 1, internal: { typo: 2 } }
    expect(validate(value, extended, { closed: true }).map(formatFieldError)).toEqual([
      '<nil>: Invalid value: "typo": .typo in body is a forbidden property',
      'internal: Invalid value: "typo": internal.typo in body is a forbidden property',
    ])
  })

  it('x-required-for-helm applies only before a chart is rendered', () => {
    const value = { replicas: 1, internal: {} }
    expect(validate(value, extended, { closed: true })).toEqual([])
    expect(validate(value, extended, { closed: true, helm: true }).map(formatFieldError)).toEqual([
      'internal.ca: Required value',
    ])
  })
})
