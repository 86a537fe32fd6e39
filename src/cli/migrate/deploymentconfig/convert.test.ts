import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseManifests } from '../../../kube/manifest/index.ts'
import { compilePolicy } from '../../../rollouts/policy/compile.ts'
import type { RolloutPolicy } from '../../../rollouts/policy/types.ts'
import { convert } from './convert.ts'
import type { DeploymentConfig } from './types.ts'

const path = new URL('../../../../test/cluster/deploymentconfigs.yaml', import.meta.url)
const configs = parseManifests(readFileSync(path, 'utf8'), 'deploymentconfigs.yaml') as DeploymentConfig[]

function converted(name: string) {
  const config = configs.find(({ metadata }) => metadata.name === name)
  if (config === undefined) throw new Error(`no ${name}`)
  const { objects, notes } = convert(config)
  const [deployment, policy] = objects
  return { deployment, policy, notes: Object.fromEntries(notes.map(({ field, note }) => [field, note])) }
}

describe('a Recreate with hooks', () => {
  const { deployment, policy, notes } = converted('rails')

  it('is converted to a Deployment with the same pods', () => {
    expect(deployment).toMatchObject({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {
        name: 'rails',
        labels: { app: 'rails', template: 'rails-pgsql', 'carabiner.dev/rollout-policy': 'rails' },
        annotations: {
          description: 'Defines how to deploy the application server',
          'image.openshift.io/triggers': JSON.stringify([
            {
              from: { kind: 'ImageStreamTag', name: 'rails:latest', namespace: 'shop' },
              fieldPath: 'spec.template.spec.containers[?(@.name=="rails")].image',
            },
          ]),
        },
      },
      spec: {
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 900,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: { name: 'rails' } },
        template: { spec: { containers: [{ image: expect.stringContaining('rails@sha256:') }] } },
      },
    })
    expect(JSON.stringify(deployment)).not.toMatch(/last-applied|creationTimestamp|resourceVersion|latestVersion/)
  })

  it('keeps the hooks pre, mid and post', () => {
    expect(policy).toMatchObject({
      kind: 'RolloutPolicy',
      metadata: { name: 'rails' },
      spec: {
        targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'rails' },
        openshiftEnvironment: true,
        rolloutTypes: ['CREATE', 'ROLLOUT', 'ROLLBACK', 'RESTART'],
        lifecycle: {
          pre: {
            failurePolicy: 'Abort',
            timeoutSeconds: 21600,
            execNewPod: {
              containerName: 'rails',
              command: ['bash', '-c', './migrate-database.sh'],
              env: [{ name: 'RAILS_ENV', value: 'production' }],
            },
          },
          mid: { failurePolicy: 'Retry', execNewPod: { command: ['rake', 'db:migrate'], volumes: ['uploads'] } },
          post: { failurePolicy: 'Ignore', execNewPod: { command: ['rake', 'cache:warm'] } },
        },
      },
    })
    expect(compilePolicy((policy as RolloutPolicy).spec)).not.toHaveProperty('problems')
  })

  it('has notes on filled-in fields', () => {
    expect(Object.keys(notes)).toEqual(['spec.template.spec.containers[0].image', 'spec.triggers'])
  })
})

describe('a Rolling with fields that a Deployment does not have', () => {
  const { deployment, policy, notes } = converted('frontend')

  it('keeps the supported fields', () => {
    expect(deployment).toMatchObject({
      spec: {
        replicas: 5,
        minReadySeconds: 15,
        progressDeadlineSeconds: 1200,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
      },
    })
    const triggers: unknown = JSON.parse(deployment?.metadata.annotations?.['image.openshift.io/triggers'] ?? '[]')
    expect(triggers).toMatchObject([
      { paused: true, fieldPath: 'spec.template.spec.containers[?(@.name=="frontend")].image' },
      { paused: true, fieldPath: 'spec.template.spec.initContainers[?(@.name=="assets")].image' },
    ])
  })

  it('converts a post hook that may abort to a hook at 100%', () => {
    expect((policy as RolloutPolicy).spec).toMatchObject({
      lifecycleHooks: [
        {
          name: 'post-check',
          trigger: { progressAvailableParams: { progressPoint: '100%' } },
          failurePolicy: 'Abort',
          execNewPod: { containerName: 'frontend', command: ['./smoke-test.sh'] },
        },
      ],
    })
    expect((policy as RolloutPolicy).spec.lifecycle).toBeUndefined()
  })

  it('has a note for every other field', () => {
    expect(Object.keys(notes).toSorted()).toEqual([
      'spec.strategy.annotations',
      'spec.strategy.labels',
      'spec.strategy.resources',
      'spec.strategy.rollingParams.post.failurePolicy',
      'spec.strategy.rollingParams.pre.tagImages',
      'spec.strategy.rollingParams.updatePeriodSeconds',
      'spec.test',
      'spec.triggers',
      'spec.triggers[0]',
    ])
    expect(notes['spec.strategy.rollingParams.pre.tagImages']).toContain('frontend:candidate')
  })
})

describe('a custom strategy', () => {
  it('is converted to RollingUpdate with a note', () => {
    const { deployment, policy, notes } = converted('special')
    expect(deployment).toMatchObject({ spec: { strategy: { type: 'RollingUpdate' } } })
    expect([policy, deployment?.metadata.labels]).toEqual([undefined, undefined])
    expect(Object.keys(notes)).toEqual(['spec.strategy.customParams'])
  })
})

describe('mistakes in the DeploymentConfig', () => {
  const config = (spec: object) =>
    ({
      apiVersion: 'v1',
      kind: 'DeploymentConfig',
      metadata: { name: 'web' },
      spec: { template: { spec: { containers: [{ name: 'web', image: 'web:1' }] } }, ...spec },
    }) as unknown as DeploymentConfig

  it('are noted: missing containers and volumes, a mid hook of Rolling', () => {
    const execNewPod = { containerName: 'other', command: ['x'], volumes: ['none'] }
    const { notes } = convert(
      config({
        strategy: {
          type: 'Rolling',
          rollingParams: { pre: { failurePolicy: 'Abort', execNewPod }, mid: { execNewPod } },
        },
      }),
    )
    const fields = notes.map(({ field }) => field.replace('spec.strategy.rollingParams.', ''))
    expect(fields).toEqual([
      'pre.execNewPod.containerName',
      'pre.execNewPod.volumes',
      'mid.execNewPod.containerName',
      'mid.execNewPod.volumes',
      'mid',
    ])
  })

  it('an aborting mid hook has a note that the rollout is not undone automatically', () => {
    const mid = { failurePolicy: 'Abort', execNewPod: { containerName: 'web', command: ['x'] } }
    const { notes } = convert(config({ strategy: { type: 'Recreate', recreateParams: { mid } } }))
    expect(notes).toEqual([
      { field: 'spec.strategy.recreateParams.mid.failurePolicy', note: expect.stringContaining('onAbort is Undo') },
    ])
  })

  it('a deadline below minReadySeconds is replaced by a valid one', () => {
    const { objects, notes } = convert(config({ minReadySeconds: 700, strategy: { type: 'Rolling' } }))
    expect(objects[0]).toMatchObject({ spec: { progressDeadlineSeconds: 1300 } })
    expect(notes.map(({ field }) => field)).toEqual(['spec.strategy.rollingParams.timeoutSeconds'])
  })
})

describe('a name longer than a label holds', () => {
  const config = configs.find(({ metadata }) => metadata.name === 'rails')
  if (config === undefined) throw new Error('no rails')
  const name = `${'rails-'.repeat(12)}app`
  const { objects, notes } = convert({ ...config, metadata: { ...config.metadata, name } })
  const [deployment, policy] = objects

  it('is shortened for the policy and its label', () => {
    expect(deployment?.metadata.name).toBe(name)
    expect(policy).toMatchObject({ spec: { targetRef: { name } } })
    expect(policy?.metadata.name).toMatch(/^rails-.{1,56}[0-9a-f]{12}$/)
    expect(deployment?.metadata.labels?.['carabiner.dev/rollout-policy']).toBe(policy?.metadata.name)
    expect(notes.find(({ field }) => field === 'metadata.name')?.note).toContain(policy?.metadata.name)
  })
})
