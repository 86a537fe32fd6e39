import { describe, expect, it } from 'vitest'
import { mergeLookup } from './merge-lookup.ts'
import { typeModel } from './model.ts'
import { KindSchemas } from './schemas.ts'

const schemas = new KindSchemas(typeModel())

function lookup(group: string, version: string, kind: string, ...path: string[]) {
  let fields = mergeLookup(schemas.ofKind(group, version, kind) ?? {})
  let found: ReturnType<typeof fields.field>
  for (const name of path) {
    found = fields.field(name)
    if (found === undefined) return undefined
    fields = found.fields
  }
  return found
}

describe('mergeLookup', () => {
  it('finds merge keys through lists', () => {
    expect(lookup('apps', 'v1', 'Deployment', 'spec', 'template', 'spec', 'containers', 'env')).toMatchObject({
      strategy: 'merge',
      mergeKey: 'name',
    })
  })

  it('returns a strategy without key for sets', () => {
    const finalizers = lookup('', 'v1', 'Pod', 'metadata', 'finalizers')
    expect(finalizers?.strategy).toBe('merge')
    expect(finalizers?.mergeKey).toBeUndefined()
  })

  it('returns no strategy for plain lists', () => {
    expect(lookup('', 'v1', 'Pod', 'spec', 'containers', 'args')?.strategy).toBeUndefined()
  })

  it('returns undefined for unknown fields', () => {
    expect(lookup('', 'v1', 'Pod', 'spec', 'nonsense')).toBeUndefined()
  })

  it('allows any key in a map', () => {
    expect(lookup('', 'v1', 'ConfigMap', 'data', 'anything')).toBeDefined()
  })
})
