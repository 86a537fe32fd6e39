import { describe, expect, it } from 'vitest'
import { TemplateHashes } from '../objects/template-hash.ts'
import { projectPod, projectRevision } from './projections.ts'

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

it('a ReplicaSet apart belongs to the Deployment that will control it', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd' }
  const project = (more: object) => {
    const { metadata, ...set } = replicaSet({})
    const { value, ...owned } = projectRevision({ ...set, metadata: { ...metadata, ...more } }, new TemplateHashes())
    return { ...owned, isHidden: value.isHidden }
  }
  const labels = { 'carabiner.dev/apart': 'true' }
  expect(project({ ownerReferences: [owner], labels })).toEqual({ owner: 'd', isHidden: true })
  expect(project({ ownerReferences: [{ ...owner, controller: true }] })).toEqual({ owner: 'd', isHidden: undefined })
  expect(project({ ownerReferences: [owner] })).toEqual({ owner: '', isHidden: undefined })
})

it('of pods of Jobs it is kept how their log is read', () => {
  const env = [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }]
  const podOf = (kind: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind, name: 'o', uid: 'o', controller: true }] },
    spec: { initContainers: [{ name: 'wait' }], containers: [{ name: 'main', env }] },
  })
  expect(projectPod(podOf('Job')).logSource).toEqual({ name: 'a', containers: ['wait', 'main'], secrets: ['db'] })
  expect(projectPod(podOf('ReplicaSet'))).not.toHaveProperty('logSource')
})

it('[rollouts W32] of pods of Jobs it is kept how they failed', () => {
  const containerStatuses = [{ name: 'main', state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } }]
  const podOf = (kind: string, phase: string) => ({
    ...{ apiVersion: 'v1', kind: 'Pod', spec: { containers: [] }, status: { phase, containerStatuses } },
    metadata: { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind, name: 'o', uid: 'o', controller: true }] },
  })
  expect(projectPod(podOf('Job', 'Failed')).failure).toMatchObject({
    ...{ kubernetesReason: 'OOMKilled', message: 'container main ended with exit code 137' },
  })
  expect(projectPod(podOf('Job', 'Running'))).not.toHaveProperty('failure')
  expect(projectPod(podOf('ReplicaSet', 'Failed'))).not.toHaveProperty('failure')
})
