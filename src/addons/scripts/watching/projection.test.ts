import { describe, expect, it } from 'vitest'
import { compile, type Program } from '../../../jq/index.ts'
import type { KubeObject } from '../../../kube/object.ts'
import { projection } from './projection.ts'

const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'm', namespace: 'shop', managedFields: [{}] },
  data: { b: '2', a: '1', long: 'x'.repeat(100_000) },
} as KubeObject

function project(filters: { program: Program; needsResult: boolean }[], { isWhole } = { isWhole: false }) {
  const failed: string[] = []
  const report = { took: () => undefined, failed: ({ source }: Program) => void failed.push(source) }
  const kept = projection({ filters, isWhole }, { monotonic: () => 0 }, report)(object)
  return { kept, failed }
}

const filter = (source: string) => ({ program: compile(source), needsResult: true })

describe('projection', () => {
  it('keeps only the filter results, as JSON text with sorted keys', () => {
    const { kept } = project([filter('{b: .data.b, a: .data.a}'), filter('.data.a, .data.b'), filter('empty')])
    expect(kept).toEqual({ results: ['{"a":"1","b":"2"}', '["1","2"]', 'null'], whole: undefined })
  })

  it('keeps a checksum of a long result that is only compared', () => {
    const { kept } = project([
      { program: compile('.data'), needsResult: false },
      { program: compile('.data.a'), needsResult: false },
    ])
    expect(kept.results[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(kept.results[1]).toBe('"1"')
  })

  it('keeps full objects as bytes, without managedFields', () => {
    const { kept } = project([], { isWhole: true })
    const { managedFields: _, ...metadata } = object.metadata
    expect(JSON.parse(new TextDecoder().decode(kept.whole))).toEqual({ ...object, metadata })
  })

  it('reports a failed filter and applies the others', () => {
    const { kept, failed } = project([filter('.data.a | keys'), filter('.kind')])
    expect(kept.results).toEqual([undefined, '"ConfigMap"'])
    expect(failed).toEqual(['.data.a | keys'])
  })
})
