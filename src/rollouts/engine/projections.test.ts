import { describe, expect, it } from 'vitest'
import { projectRevision } from './projections.ts'
import { TemplateHashes } from './template-hash.ts'

const replicaSet = (annotations: Readonly<Record<string, string>>) => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web-1', uid: 'set', annotations },
  spec: { template: { spec: { containers: [] } } },
})

describe('a ReplicaSet as a revision', () => {
  it.each([
    ['3', undefined, 3, 3],
    ['3', '1,2', 3, 1],
    ['three', undefined, 0, undefined],
    [undefined, undefined, 0, undefined],
    ['3', 'first', 3, 3],
  ])('with revision %s and history %s has number %s and first number %s', (revision, history, number, firstNumber) => {
    const annotations = {
      ...(revision === undefined ? {} : { 'deployment.kubernetes.io/revision': revision }),
      ...(history === undefined ? {} : { 'deployment.kubernetes.io/revision-history': history }),
    }
    const { value } = projectRevision(replicaSet(annotations), new TemplateHashes())
    expect({ number: value.number, firstNumber: value.firstNumber }).toEqual({ number, firstNumber })
  })
})
