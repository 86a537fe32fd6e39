import { describe, expect, it } from 'vitest'
import { readCases } from './case.ts'

describe('readCases', () => {
  it('reads several cases from a file and applies defaults', () => {
    const [first, second] = readCases('steps: [{wait: 90}]\n---\nname: b\nsteps: [{expect: {runs: []}}]\n', 'x/a.yaml')
    expect(first).toMatchObject({ name: 'a.yaml', hooks: undefined, nodes: 0, time: Date.UTC(2026, 0, 1) })
    expect(first?.steps[0]).toMatchObject({ wait: 90_000, expect: { runs: undefined } })
    expect(second).toMatchObject({ name: 'b', steps: [{ wait: 0, expect: { runs: [] } }] })
  })

  it('accepts one object in place of a list', () => {
    const [only] = readCases(
      'steps: [{delete: {kind: Pod, name: a}, create: {apiVersion: v1, kind: Pod, metadata: {name: b}}}]',
      'a',
    )
    expect(only?.steps[0]).toMatchObject({ delete: [{ kind: 'Pod', name: 'a' }], create: [{ kind: 'Pod' }] })
  })

  it('reports all problems at once', () => {
    const text = `
time: soon
given: [{kind: Pod}]
steps:
- wiat: 3s
- wait: long
  expect:
    runs: [{hok: a.sh}, {count: 0}]
    metrics: [{value: 3}]
    logs: [3]
`
    expect(() => readCases(text, 'a.yaml')).toThrow(`a.yaml:
  time: must be a time such as 2026-01-01T00:00:00Z, not "soon"
  given[0]: has no apiVersion and no metadata.name
  steps[0].wiat: is not known (did you mean wait?)
  steps[1].wait: must be a time such as 30s or 1h30m, not "long"
  steps[1].expect.runs[0].hok: is not known (did you mean hook?)
  steps[1].expect.runs[1].count: must be 1 or more; write runs: [] when no hook runs
  steps[1].expect.logs: must be a list of strings, not [3]
  steps[1].expect.metrics[0].name: is required`)
    expect(() => readCases('', 'a.yaml')).toThrow('contains no test case')
  })
})
