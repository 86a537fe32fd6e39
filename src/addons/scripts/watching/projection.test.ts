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

function project(filters: { program: Program; isTold: boolean }[], isWhole = false) {
  const failed: string[] = []
  const report = { took: () => undefined, failed: ({ source }: Program) => void failed.push(source) }
  const kept = projection({ filters, isWhole }, { monotonic: () => 0 }, report)(object)
  return { kept, failed }
}

const told = (source: string) => ({ program: compile(source), isTold: true })

describe('projection', () => {
  it('keeps results as text whose keys are sorted, and nothing else of a large object', () => {
    const { kept } = project([told('{b: .data.b, a: .data.a}'), told('.data.a, .data.b'), told('empty')])
    expect(kept).toEqual({ results: ['{"a":"1","b":"2"}', '["1","2"]', 'null'], whole: undefined })
  })

  it('keeps a checksum of a long result that nobody is told', () => {
    const { kept } = project([
      { program: compile('.data'), isTold: false },
      { program: compile('.data.a'), isTold: false },
    ])
    expect(kept.results[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(kept.results[1]).toBe('"1"')
  })

  it('keeps whole objects as bytes, without the record of who set what', () => {
    const { kept } = project([], true)
    const { managedFields: _, ...metadata } = object.metadata
    expect(JSON.parse(new TextDecoder().decode(kept.whole))).toEqual({ ...object, metadata })
  })

  it('tells of a filter that fails and goes on with the others', () => {
    const { kept, failed } = project([told('.data.a | keys'), told('.kind')])
    expect(kept.results).toEqual([undefined, '"ConfigMap"'])
    expect(failed).toEqual(['.data.a | keys'])
  })
})
