import { describe, expect, it } from 'vitest'
import type { RolloutType } from '../policy/types.ts'
import type { PodSpec } from '../policy/workload.ts'
import { rolloutEnvironment, withEnvironment } from './environment.ts'

const context = { from: 'web-1', to: 'web-2', toUid: 'u', toKind: 'ReplicaSet', rollout: 'r' } as const

describe('the environment of hooks', () => {
  it('[rollouts I2] tells a rollback from a rollout', () => {
    const typeOf = (type: RolloutType) =>
      rolloutEnvironment('shop', { ...context, type }).find(({ name }) => name === 'K8S_ROLLOUT_TYPE')?.value
    expect(typeOf('ROLLBACK')).toBe('ROLLBACK')
    expect(typeOf('ROLLOUT')).toBe('ROLLOUT')
    expect(typeOf('CREATE')).toBe('ROLLOUT')
    expect(typeOf('RESTART')).toBe('ROLLOUT')
    expect(typeOf('UNDO')).toBe('ROLLBACK')
  })

  it('[rollouts I3] leaves a variable alone that the hook declares itself', () => {
    const own = { name: 'K8S_ROLLOUT_TYPE', value: 'mine' }
    const { containers } = withEnvironment(
      { containers: [{ name: 'main', env: [own] }] },
      rolloutEnvironment('shop', { ...context, type: 'ROLLOUT' }),
    )
    expect(containers[0]?.env).toEqual([
      own,
      { name: 'K8S_ROLLOUT_FROM_OBJECT', value: 'shop/web-1' },
      { name: 'K8S_ROLLOUT_TO_OBJECT', value: 'shop/web-2' },
    ])
  })

  it.each([
    {},
    { containers: null },
    { containers: 'none' },
    { containers: [null] },
    { containers: [{ name: 'main', env: 'A=b' }] },
    { containers: [{ name: 'main', env: [null] }], initContainers: {} },
  ])('leaves %o for the server to refuse', (spec) => {
    expect(withEnvironment(spec as unknown as PodSpec, [{ name: 'A', value: 'b' }])).toEqual(spec)
  })
})
