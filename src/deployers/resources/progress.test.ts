import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../kube/object.ts'
import { landscaperProgress } from './progress.ts'

const object = (
  kind: string,
  status?: object,
  metadata: object = {},
  apiVersion = 'landscaper.gardener.cloud/v1alpha1',
) => ({ apiVersion, kind, metadata: { name: 'a', generation: 2, ...metadata }, status }) as unknown as KubeObject

describe('landscaperProgress', () => {
  it.each([
    ['nobody has looked at', object('DeployItem'), 'working the new generation is not observed yet'],
    [
      'is done with an older spec',
      object('DeployItem', { phase: 'Succeeded', observedGeneration: 1 }),
      'working the new generation is not observed yet',
    ],
    ['is at work', object('DeployItem', { phase: 'Progressing', observedGeneration: 2 }), 'working phase Progressing'],
    [
      'tries again',
      object('DeployItem', { phase: 'Progressing', observedGeneration: 2, lastError: { message: 'no bricks' } }),
      'working no bricks',
    ],
    ['is done', object('DeployItem', { phase: 'Succeeded', observedGeneration: 2 }), 'done as wanted'],
    [
      'has failed',
      object('Execution', { phase: 'Failed', observedGeneration: 2, lastError: { message: 'no bricks' } }),
      'failed no bricks',
    ],
    [
      'is going',
      object('Execution', { phase: 'Succeeded', observedGeneration: 2 }, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      'working being deleted',
    ],
  ])('of one that %s', (_, given, expected) => {
    const { state, message } = landscaperProgress(given) ?? {}
    expect(`${state} ${message}`).toBe(expected)
  })

  it('leaves other kinds to the common rules', () => {
    expect(landscaperProgress(object('Deployment', {}, {}, 'apps/v1'))).toBeUndefined()
    expect(landscaperProgress(object('Target'))).toBeUndefined()
  })
})
