import { describe, expect, it } from 'vitest'
import { typeModel } from './model.ts'
import { readField } from './notation.ts'
import { KindSchemas } from './schemas.ts'

const schemas = new KindSchemas(typeModel())

describe('readField', () => {
  it('parses every word of a line', () => {
    expect(readField('[]core.v1.ServicePort map=port,protocol patch=merge key=port')).toEqual({
      type: { is: 'list', of: { is: 'definition', name: 'core.v1.ServicePort' } },
      listType: 'map',
      mapKeys: ['port', 'protocol'],
      patchStrategy: 'merge',
      mergeKey: 'port',
      always: false,
    })
    expect(readField('string enum=A|B default=A always')).toEqual({
      type: { is: 'scalar', type: 'string', format: '' },
      enum: ['A', 'B'],
      default: 'A',
      always: true,
    })
  })
})

describe('KindSchemas', () => {
  it('expands nested definitions', () => {
    const containers = schemas.ofKind('', 'v1', 'Pod')?.properties?.['spec']?.properties?.['containers']
    expect(containers?.['x-kubernetes-list-map-keys']).toEqual(['name'])
    expect(containers?.items?.required).toEqual(['name'])
    const ports = containers?.items?.properties?.['ports']
    expect(ports?.['x-kubernetes-list-map-keys']).toEqual(['containerPort', 'protocol'])
    expect(ports?.items?.properties?.['protocol']?.default).toBe('TCP')
  })

  it('supports recursive definitions', () => {
    const versions = schemas.ofKind('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition')?.properties?.['spec']
      ?.properties?.['versions']
    const schema = versions?.items?.properties?.['schema']?.properties?.['openAPIV3Schema']
    expect(schema?.properties?.['not']?.properties?.['not']?.type).toBe('object')
  })

  it('has a schema for every served kind', () => {
    for (const { group, version, kind } of typeModel().resources) {
      expect(schemas.ofKind(group, version, kind), `${group}/${version} ${kind}`).toBeDefined()
    }
  })
})
