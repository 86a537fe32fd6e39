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
    ['without an observed generation', object('DeployItem'), 'working the new generation is not observed yet'],
    [
      'that succeeded with an older spec',
      object('DeployItem', { phase: 'Succeeded', observedGeneration: 1 }),
      'working the new generation is not observed yet',
    ],
    [
      'in phase Progressing',
      object('DeployItem', { phase: 'Progressing', observedGeneration: 2 }),
      'working phase Progressing',
    ],
    [
      'in phase Progressing with a lastError',
      object('DeployItem', { phase: 'Progressing', observedGeneration: 2, lastError: { message: 'no bricks' } }),
      'working no bricks',
    ],
    ['in phase Succeeded', object('DeployItem', { phase: 'Succeeded', observedGeneration: 2 }), 'done succeeded'],
    [
      'in phase Failed',
      object('Execution', { phase: 'Failed', observedGeneration: 2, lastError: { message: 'no bricks' } }),
      'failed no bricks',
    ],
    [
      'being deleted',
      object('Execution', { phase: 'Succeeded', observedGeneration: 2 }, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      'working being deleted',
    ],
  ])('returns the progress of an object %s', (_, given, expected) => {
    const { state, message } = landscaperProgress(given) ?? {}
    expect(`${state} ${message}`).toBe(expected)
  })

  it('returns undefined for other kinds', () => {
    expect(landscaperProgress(object('Deployment', {}, {}, 'apps/v1'))).toBeUndefined()
    expect(landscaperProgress(object('Target'))).toBeUndefined()
  })
})
