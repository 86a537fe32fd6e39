/** The RolloutPolicy resource on API servers: validation and defaults. */
import { beforeAll, expect, it } from 'vitest'
import { rolloutPolicyDefinition } from '../../src/rollouts/policy/definition.ts'
import { definitions, untilServed } from './definitions.ts'
import { onCluster } from './suite.ts'

const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const execNewPod = { containerName: 'web', command: ['rake', 'db:migrate'] }
const jobSpec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 't', image: 'smoke:1' }] } } }
const at = (progressPoint: number | string) => ({
  type: 'ProgressAvailable',
  progressAvailableParams: { progressPoint },
})

onCluster('rollout policies', (cluster) => {
  let path = ''
  beforeAll(async () => {
    const apply = { headers: { 'content-type': 'application/apply-patch+yaml' }, body: rolloutPolicyDefinition }
    const { name } = rolloutPolicyDefinition.metadata
    const applied = await cluster.call('PATCH', `${definitions}/${name}?fieldManager=suite&force=true`, apply)
    expect([applied.body.message, applied.status]).toEqual([undefined, expect.any(Number)])
    await untilServed(cluster, name)
    path = `/apis/carabiner.dev/v1alpha1/namespaces/${await cluster.namespace()}/rolloutpolicies`
  })

  const policy = (name: string, spec: object) => ({
    apiVersion: 'carabiner.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name },
    spec: { targetRef, ...spec },
  })
  const refused = async (spec: object) => {
    const { status, body } = await cluster.call('POST', path, { body: policy('bad', spec) })
    expect(status).toBe(422)
    return body.message
  }

  it('[rollouts A1 A2 A3] accepts pre, mid and post with execNewPod', async () => {
    const lifecycle = {
      pre: {
        failurePolicy: 'Retry',
        execNewPod: { ...execNewPod, env: [{ name: 'A', value: 'b' }], volumes: ['data'] },
      },
      mid: { failurePolicy: 'Abort', execNewPod },
      post: { failurePolicy: 'Continue', execNewPod },
    }
    const created = await cluster.create(path, policy('all', { lifecycle }))
    expect(created.spec).toMatchObject({
      lifecycle,
      onAbort: 'Hold',
      historyLimit: 5,
      rolloutTypes: ['ROLLOUT', 'ROLLBACK', 'RESTART'],
    })
  })

  it('[rollouts W30] accepts labels and annotations for the pod of execNewPod', async () => {
    const labels = { team: 'shop' }
    const pre = { failurePolicy: 'Abort', execNewPod: { ...execNewPod, labels, annotations: { note: 'x' } } }
    const created = await cluster.create(path, policy('labelled', { lifecycle: { pre } }))
    expect(created.spec).toMatchObject({ lifecycle: { pre } })
    const wrong = { failurePolicy: 'Abort', execNewPod: { ...execNewPod, labels: { team: 7 } } }
    expect(await refused({ lifecycle: { pre: wrong } })).toContain('spec.lifecycle.pre.execNewPod.labels.team')
  })

  it('refuses a name that is not a valid label value', async () => {
    await cluster.create(path, policy('n'.repeat(63), {}))
    const { status, body } = await cluster.call('POST', path, { body: policy('n'.repeat(64), {}) })
    expect([status, body.message]).toEqual([422, expect.stringContaining('has at most 63 characters')])
  })

  it.each(['Retry', 'Abort', 'Continue', 'Ignore'])(
    '[rollouts A4] accepts %s as a failure policy',
    async (failurePolicy) => {
      const created = await cluster.create(
        path,
        policy(`policy-${failurePolicy.toLowerCase()}`, { lifecycle: { pre: { failurePolicy, execNewPod } } }),
      )
      expect(created.spec).toMatchObject({ lifecycle: { pre: { failurePolicy } } })
    },
  )

  it('[rollouts A2 A4] requires a known failure policy', async () => {
    expect(await refused({ lifecycle: { pre: { execNewPod } } })).toContain(
      'spec.lifecycle.pre.failurePolicy: Required value',
    )
    expect(await refused({ lifecycle: { pre: { failurePolicy: 'Maybe', execNewPod } } })).toContain(
      'spec.lifecycle.pre.failurePolicy: Unsupported value: "Maybe"',
    )
  })

  it('[rollouts A5] refuses Abort after the rollout', async () => {
    expect(await refused({ lifecycle: { post: { failurePolicy: 'Abort', execNewPod } } })).toContain(
      'spec.lifecycle.post.failurePolicy: Unsupported value: "Abort"',
    )
  })

  it('[rollouts E1 E2 E5 E6] accepts lifecycle hooks and sets defaults', async () => {
    const lifecycleHooks = [
      { name: 'first', trigger: at(0), jobSpec },
      { name: 'half', trigger: at('50%'), jobSpec, failurePolicy: 'Ignore', retainPolicy: 'Always' },
      { name: 'same', trigger: at('50%'), jobSpec },
    ]
    const created = await cluster.create(path, policy('hooks', { lifecycleHooks }))
    expect(created.spec['lifecycleHooks']).toMatchObject([
      { name: 'first', failurePolicy: 'Abort', retainPolicy: 'OnFailure', jobSpec },
      { name: 'half', failurePolicy: 'Ignore', retainPolicy: 'Always' },
      { name: 'same' },
    ])
    expect(
      await refused({ lifecycleHooks: [{ name: 'a', trigger: at(0), jobSpec, retainPolicy: 'Sometimes' }] }),
    ).toContain('retainPolicy: Unsupported value')
  })

  it('[rollouts E3] accepts parameters only for their trigger type', async () => {
    const bare = await cluster.create(
      path,
      policy('default-type', {
        lifecycleHooks: [{ name: 'a', trigger: { progressAvailableParams: { progressPoint: 1 } }, jobSpec }],
      }),
    )
    expect(bare.spec['lifecycleHooks']).toMatchObject([{ trigger: { type: 'ProgressAvailable' } }])
    const message = 'progressAvailableParams must be given for type ProgressAvailable, and for no other'
    expect(
      await refused({ lifecycleHooks: [{ name: 'a', trigger: { type: 'ProgressAvailable' }, jobSpec }] }),
    ).toContain(message)
    expect(
      await refused({ lifecycleHooks: [{ name: 'a', trigger: { ...at(1), type: 'Aborted' }, jobSpec }] }),
    ).toContain(message)
    expect(await refused({ lifecycleHooks: [{ name: 'a', trigger: { type: 'Sometime' }, jobSpec }] })).toContain(
      'trigger.type: Unsupported value',
    )
  })

  it.each([-1, '101%', 'half', '1.5'])('[rollouts E4] refuses %s as a point', async (point) => {
    expect(await refused({ lifecycleHooks: [{ name: 'a', trigger: at(point), jobSpec }] })).toContain(
      'must be a number of pods, 0 or more, or a percentage from 0% to 100%',
    )
  })

  it('refuses two actions, no action, duplicate names, reserved names and retry without Retry', async () => {
    const one = 'exactly one of jobSpec, execNewPod, http, approval must be given'
    expect(await refused({ lifecycleHooks: [{ name: 'a', trigger: at(1), jobSpec, approval: {} }] })).toContain(one)
    expect(await refused({ lifecycle: { pre: { failurePolicy: 'Abort' } } })).toContain(one)
    const twice = [
      { name: 'a', trigger: at(1), jobSpec },
      { name: 'a', trigger: at(2), jobSpec },
    ]
    expect(await refused({ lifecycleHooks: twice })).toContain('Duplicate value')
    expect(await refused({ lifecycleHooks: [{ name: 'post', trigger: at(1), jobSpec }] })).toContain(
      'pre, mid and post are names of the lifecycle',
    )
    expect(await refused({ lifecycleHooks: [{ name: 'a', trigger: at(1), jobSpec, retry: { limit: 1 } }] })).toContain(
      'retry goes with failurePolicy Retry',
    )
  })

  it.each(['ftp://chat', 'https://', 'http://a b/', 'https:///hooks', 'http://chat/a b'])(
    'refuses %s as an address',
    async (url) => {
      expect(await refused({ lifecycleHooks: [{ name: 'a', trigger: at(1), http: { url } }] })).toContain('http.url')
    },
  )

  it('[rollouts W28 W29] reads the types of a hook from rolloutTypes or its previous name on, not from both', async () => {
    const hook = { name: 'a', trigger: at(0), jobSpec }
    const created = await cluster.create(
      path,
      policy('types', { lifecycleHooks: [{ ...hook, rolloutTypes: ['UNDO', 'RESTART'] }] }),
    )
    expect(created.spec['lifecycleHooks']).toMatchObject([{ rolloutTypes: ['UNDO', 'RESTART'] }])
    const previous = await cluster.create(path, policy('previous', { lifecycleHooks: [{ ...hook, on: ['ROLLBACK'] }] }))
    expect(previous.spec['lifecycleHooks']).toMatchObject([{ on: ['ROLLBACK'] }])
    expect(await refused({ lifecycleHooks: [{ ...hook, on: ['ROLLBACK'], rolloutTypes: ['UNDO'] }] })).toContain(
      'only one of them can be given',
    )
    expect(await refused({ lifecycleHooks: [{ ...hook, rolloutTypes: ['SOMETIMES'] }] })).toContain('Unsupported value')
  })

  it('has an immutable target', async () => {
    const created = await cluster.create(path, policy('kept', {}))
    const body = { ...created, spec: { ...created.spec, targetRef: { ...targetRef, name: 'other' } } }
    const { status, body: answer } = await cluster.call('PUT', `${path}/kept`, { body })
    expect([status, answer.message]).toEqual([422, expect.stringContaining('the target cannot change')])
  })
})
