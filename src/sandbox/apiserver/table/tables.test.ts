import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../runtime/json.ts'
import type { ApiObject } from '../object.ts'
import { builtinResources } from '../types/builtin.ts'
import { humanDuration } from './durations.ts'
import { readPath } from './json-path.ts'
import { columnsTable } from './printer-columns.ts'

const now = Date.UTC(2030, 0, 1, 1)
const creationTimestamp = '2030-01-01T00:00:00Z'

function row(kind: string, fields: JsonObject, metadata: JsonObject = {}): Record<string, unknown> {
  const resource = builtinResources().find((one) => one.kind === kind)
  if (resource === undefined) throw new Error(`no ${kind}`)
  const object = { metadata: { name: 'x', creationTimestamp, ...metadata }, ...fields } as unknown as ApiObject
  const { columns, cells } = resource.strategy.table
  const values = cells(object, now)
  expect(values).toHaveLength(columns.length)
  return Object.fromEntries(columns.map(({ name }, index) => [name, values[index]]))
}

describe('tables of built-in kinds', () => {
  it('have a cell for every column', () => {
    for (const { strategy, kind, verbs } of builtinResources()) {
      if (!verbs.includes('list')) continue
      const object = { metadata: { name: 'x', creationTimestamp } } as unknown as ApiObject
      expect(strategy.table.cells(object, now), kind).toHaveLength(strategy.table.columns.length)
    }
  })

  it('show the status of a pod', () => {
    const waiting = { name: 'c', ready: false, restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } }
    expect(
      row('Pod', {
        spec: { containers: [{ name: 'c' }], nodeName: 'n' },
        status: { phase: 'Running', containerStatuses: [waiting], podIPs: [{ ip: '1.2.3.4' }] },
      }),
    ).toEqual({
      Name: 'x',
      Ready: '0/1',
      Status: 'CrashLoopBackOff',
      Restarts: '3',
      Age: '60m',
      IP: '1.2.3.4',
      Node: 'n',
      'Nominated Node': '<none>',
      'Readiness Gates': '<none>',
    })
  })

  it('show terminating and initializing pods', () => {
    const spec = { containers: [{ name: 'c' }], initContainers: [{ name: 'i' }, { name: 'j' }] }
    const deletionTimestamp = creationTimestamp
    expect(row('Pod', { spec, status: { phase: 'Running' } }, { deletionTimestamp })['Status']).toBe('Terminating')
    const initContainerStatuses = [
      { name: 'i', state: { terminated: { exitCode: 0 } } },
      { name: 'j', state: { running: {} } },
    ]
    expect(row('Pod', { spec, status: { phase: 'Pending', initContainerStatuses } })['Status']).toBe('Init:1/2')
  })

  it('show a Deployment with its selector', () => {
    expect(
      row('Deployment', {
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'b', operator: 'In', values: ['y', 'x'] }] },
          template: {
            spec: {
              containers: [
                { name: 'c', image: 'i:1' },
                { name: 'd', image: 'j:1' },
              ],
            },
          },
        },
        status: { readyReplicas: 2, updatedReplicas: 1 },
      }),
    ).toEqual({
      Name: 'x',
      Ready: '2/3',
      'Up-to-date': 1,
      Available: 0,
      Age: '60m',
      Containers: 'c,d',
      Images: 'i:1,j:1',
      Selector: 'app=a,b in (x,y)',
    })
  })

  it('show the ports of a service', () => {
    const ports = [
      { port: 80, protocol: 'TCP', nodePort: 30000 },
      { port: 53, protocol: 'UDP' },
    ]
    const shown = row('Service', { spec: { type: 'LoadBalancer', clusterIPs: ['10.96.0.9'], ports } })
    expect(shown['Port(s)']).toBe('80:30000/TCP,53/UDP')
    expect(shown['External-IP']).toBe('<pending>')
  })
})

describe('humanDuration', () => {
  it.each([
    [0, '0s'],
    [119_000, '119s'],
    [125_000, '2m5s'],
    [3_600_000, '60m'],
    [3 * 3_600_000 + 60_000, '3h1m'],
    [50 * 3_600_000, '2d2h'],
    [400 * 86_400_000, '400d'],
    [3 * 365 * 86_400_000, '3y'],
  ])('writes %d ms as %s', (milliseconds, text) => {
    expect(humanDuration(milliseconds)).toBe(text)
  })
})

describe('printer columns', () => {
  const object = {
    metadata: { name: 'x', creationTimestamp, labels: { 'a.b/c': 'd' } },
    spec: { a: 1, list: [{ name: 'p' }, { name: 'q' }] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  } as unknown as ApiObject

  it('read paths with filters, indexes and escaped dots', () => {
    expect(readPath(object, '.status.conditions[?(@.type=="Ready")].status')).toEqual(['True'])
    expect(readPath(object, '.spec.list[1].name')).toEqual(['q'])
    expect(readPath(object, '.spec.list[*].name')).toEqual(['p', 'q'])
    expect(readPath(object, '.metadata.labels.a\\.b/c')).toEqual(['d'])
    expect(readPath(object, '.spec.nothing')).toEqual([])
  })

  it('leave a cell empty when the value is of another type', () => {
    const column = { format: '', description: '', priority: 0 }
    const table = columnsTable([
      { ...column, name: 'A', type: 'integer', jsonPath: '.spec.a' },
      { ...column, name: 'B', type: 'boolean', jsonPath: '.spec.a' },
      { ...column, name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ])
    expect(table.cells(object, now)).toEqual(['x', 1, null, '60m'])
  })

  it('show the age when a definition has no columns', () => {
    expect(columnsTable([]).cells(object, now)).toEqual(['x', '60m'])
  })
})
