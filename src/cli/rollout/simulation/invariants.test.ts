import { describe, expect, it } from 'vitest'
import type { Workload } from '../../../rollouts/policy/workload.ts'
import type { Bar, Sample } from '../timeline/timeline.ts'
import { boundsOf, repeatedIn, violationsIn } from './invariants.ts'
import { settingsOf } from './settings.ts'

const workload = { kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 4 } } as unknown as Workload

describe('what must always hold', () => {
  const sample = (more: Partial<Sample>): Sample => ({
    ...{ at: 1000, old: 4, oldReady: 4, fresh: 0, freshReady: 0, gate: 'closed', replicas: 4 },
    ...more,
  })
  const bar: Bar = { hook: 'smoke', point: '50%', attempt: 1, from: 500, to: 2000, state: 'Succeeded' }

  it.each([
    ['too many pods', sample({ old: 4, fresh: 2 }), '6 pods after 1.0 s, more than 5'],
    ['too few that are ready', sample({ oldReady: 2 }), '2 pods were ready after 1.0 s, fewer than 3'],
    [
      'new pods past a point',
      sample({ old: 2, oldReady: 2, fresh: 3, freshReady: 3 }),
      '3 new pods after 1.0 s while hook smoke at 50% ran, more than 2',
    ],
  ])('is %s', (_, seen, violation) => {
    expect(violationsIn(workload, [sample({ at: 0 }), seen], [bar], [4])).toEqual([violation])
  })

  it('is not what came by scaling before the hook', () => {
    const past = sample({ at: 400, old: 2, fresh: 3, oldReady: 2, freshReady: 3 })
    const still = { ...past, at: 1000 }
    const grown = { ...past, at: 1500, old: 1, fresh: 4 }
    expect(violationsIn(workload, [sample({ at: 0, replicas: 2 }), past, still], [bar], [2, 4])).toEqual([])
    expect(violationsIn(workload, [past, still, grown], [bar], [2, 4])).toHaveLength(1)
    expect(violationsIn(workload, [past, still], [bar], [4])).toHaveLength(1)
  })

  it('is nothing below no pods at all', () => {
    const none = { ...workload, spec: { replicas: 0, strategy: { rollingUpdate: { maxSurge: 0 } } } } as Workload
    expect(boundsOf(none, 0)).toEqual({ most: 0, fewest: 0 })
  })

  it('is what a DaemonSet may have too many, though no hook can hold that', () => {
    const rollingUpdate = { maxSurge: '40%', maxUnavailable: 0 }
    const surging = { kind: 'DaemonSet', spec: { updateStrategy: { rollingUpdate } } } as unknown as Workload
    expect(boundsOf(surging, 5)).toEqual({ most: 7, fewest: 4 })
  })

  it('is no hook carried out twice', () => {
    expect(repeatedIn(['a-1', 'b-1', 'a-1'])).toEqual(['a-1 was created twice'])
  })
})

describe('settings', () => {
  it.each([{ scale: ['soon=3'] }, { scale: ['3s'] }])('%o are refused', (options) => {
    expect(() => settingsOf({ seed: 1, ...options })).toThrow(expect.objectContaining({ code: 'CRB_USAGE' }))
  })
})
