import { describe, expect, it } from 'vitest'
import { compilePolicy } from '../policy/compile.ts'
import type { FailurePolicy, LifecycleHook, RolloutPolicySpec, RolloutType, TargetKind } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { planRollout } from './plan.ts'

const execNewPod = { containerName: 'main', command: ['true'] }
const hook = (name: string, progressPoint: number | string, more: Partial<LifecycleHook> = {}): LifecycleHook => ({
  name,
  trigger: { progressAvailableParams: { progressPoint } },
  execNewPod,
  ...more,
})

interface Given {
  readonly status?: object
  readonly more?: Partial<RolloutPolicySpec>
  readonly labels?: Readonly<Record<string, string>>
  readonly type?: RolloutType
}

function plan(
  kind: TargetKind,
  spec: object,
  lifecycleHooks: readonly LifecycleHook[],
  { status = {}, more = {}, labels = {}, type = 'ROLLOUT' }: Given = {},
) {
  const targetRef = { apiVersion: 'apps/v1', kind, name: 'web' } as const
  const compiled = compilePolicy({
    ...{ targetRef, lifecycleHooks, rolloutTypes: ['ROLLOUT', 'ROLLBACK', 'CREATE'] },
    ...more,
  })
  if ('problems' in compiled) throw new Error(JSON.stringify(compiled.problems))
  const template = { spec: { containers: [{ name: 'main', image: 'web:1' }] } }
  const workload = {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web', labels },
    spec: { selector: {}, template, ...spec },
    status,
  } as Workload
  return planRollout(compiled, workload, type)
}

describe('a plan', () => {
  it('says at how many pods each hook runs and what the gate does in between', () => {
    const { steps, ...facts } = plan('Deployment', { replicas: 10 }, [
      hook('end', '100%'),
      hook('half', '50%'),
      hook('start', 0, { failurePolicy: 'Ignore' }),
    ])
    expect(facts).toMatchObject({ replicas: 10, surge: 3, unavailable: 2, warnings: [] })
    expect(steps).toMatchObject([
      { kind: 'close', changes: { 'spec.paused': true } },
      { kind: 'hooks', point: '0', pods: 0, hooks: [{ name: 'start', action: 'pod', onFailure: 'ignore' }] },
      {
        kind: 'move',
        changes: { 'spec.strategy.rollingUpdate.maxSurge': 3, 'spec.strategy.rollingUpdate.maxUnavailable': 2 },
      },
      { kind: 'hooks', point: '50%', pods: 5 },
      { kind: 'open', changes: { 'spec.paused': false, 'spec.minReadySeconds': 0 } },
      { kind: 'hooks', point: '100%', pods: 10 },
    ])
  })

  it('uses the partition of a StatefulSet and deletes pods of a DaemonSet', () => {
    const changes = (kind: TargetKind, spec: object, status = {}) =>
      plan(kind, spec, [hook('first', 1)], { status }).steps.flatMap((step) =>
        step.kind === 'hooks' ? [] : [step.changes],
      )
    expect(changes('StatefulSet', { replicas: 3, ordinals: { start: 5 } })[1]).toEqual({
      'spec.updateStrategy.rollingUpdate.partition': 2,
    })
    expect(changes('StatefulSet', { replicas: 3 })).toMatchObject([
      { 'spec.updateStrategy.rollingUpdate.partition': 2_147_483_647 },
      { 'spec.updateStrategy.rollingUpdate.partition': 2 },
      { 'spec.updateStrategy.rollingUpdate.partition': 0 },
    ])
    expect(changes('DaemonSet', {}, { desiredNumberScheduled: 3 })).toEqual([
      { 'spec.updateStrategy.type': 'OnDelete' },
      {},
      { 'spec.updateStrategy.type': 'RollingUpdate' },
    ])
  })

  it('warns of rollouts in which no hook runs', () => {
    const create = (kind: TargetKind, labels = {}) =>
      plan(kind, { replicas: 3 }, [hook('first', 0)], { labels, type: 'CREATE' })
    expect(create('StatefulSet')).toMatchObject({
      steps: [{ kind: 'close', changes: {} }, { kind: 'open' }],
      warnings: ['the first pods of a StatefulSet cannot be held: no hook runs'],
    })
    expect(create('Deployment').warnings).toEqual([
      'Deployment web is created without its hooks unless it has the label carabiner.dev/rollout-policy: POLICY',
    ])
    expect(create('Deployment', { 'carabiner.dev/rollout-policy': 'web' })).toMatchObject({
      steps: [{ changes: { 'spec.paused': true } }, { kind: 'hooks' }, { kind: 'open' }],
      warnings: [],
    })
    expect(plan('Deployment', { replicas: 3 }, []).warnings).toEqual(['the policy has no hooks'])
    const rolloutTypes: readonly RolloutType[] = ['ROLLBACK']
    expect(plan('Deployment', { replicas: 3 }, [hook('back', 0, { rolloutTypes })]).warnings).toEqual([
      'no hook is for a rollout of type ROLLOUT',
    ])
  })

  it('warns of points between that first pods are not held at', () => {
    const labels = { 'carabiner.dev/rollout-policy': 'web' }
    const hooks = [hook('first', 0), hook('half', '50%'), hook('last', '100%')]
    expect(plan('Deployment', { replicas: 3 }, hooks, { labels, type: 'CREATE' }).warnings).toEqual([
      'hook half: the first pods come all at once; it runs when 2 of them are available',
    ])
    expect(plan('Deployment', { replicas: 3 }, hooks, { labels }).warnings).toEqual([])
  })

  it('warns of a DaemonSet that nothing can hold', () => {
    const updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    expect(
      plan('DaemonSet', { updateStrategy }, [hook('first', 0)], { status: { desiredNumberScheduled: 3 } }).warnings,
    ).toEqual(['DaemonSet web has a maxSurge and cannot be held: no hook runs'])
  })

  it('[rollouts W30] warns of a pod that has the labels of the pods of the workload', () => {
    const selector = { matchLabels: { app: 'web' } }
    const warningsWith = (labels: Readonly<Record<string, string>>) =>
      plan('Deployment', { replicas: 3, selector }, [hook('first', 0, { execNewPod: { ...execNewPod, labels } })])
        .warnings
    expect(warningsWith({ app: 'web', team: 'shop' })).toEqual([
      'hook first: its pod has the labels that Deployment web selects its own pods by; use other labels',
    ])
    expect(warningsWith({ app: 'migration' })).toEqual([])
  })

  const jobWith = (image: string, name = 'first') => {
    const jobSpec = { template: { spec: { containers: [{ name: 'm', image }] } } }
    const { execNewPod: _, ...rest } = hook(name, 0)
    return { ...rest, jobSpec }
  }

  it.each(['web:2', 'web', 'web:1', 'web@sha256:abc', 'web:1@sha256:abc'])(
    '[rollouts W31] warns of a Job with the image %s, which does not change with the template',
    (image) => {
      expect(plan('Deployment', { replicas: 3 }, [jobWith(image)]).warnings).toEqual([
        `hook first: image ${image} of its Job does not change with that of container main, web:1; write $(containers.main.image)`,
      ])
    },
  )

  it.each(['migrations:1', 'shop/web:1', 'web:5000/web:1', '$(containers.main.image)'])(
    '[rollouts W31] does not warn of a Job with the image %s',
    (image) => {
      expect(plan('Deployment', { replicas: 3 }, [jobWith(image)]).warnings).toEqual([])
    },
  )

  it('[rollouts W31] warns of the image of a container that the template does not have', () => {
    const lost = { execNewPod: { ...execNewPod, command: ['echo', '$(containers.other.image)'] } }
    const warnings = plan('Deployment', { replicas: 3 }, [
      jobWith('$(containers.lost.image)', 'job'),
      hook('pod', 0, lost),
    ]).warnings
    expect(warnings).toEqual([
      'hook job: $(containers.lost.image): the template has no container lost; until this is fixed no hook runs',
      'hook pod: $(containers.other.image): the template has no container other; until this is fixed no hook runs',
    ])
  })

  it('warns of what is hardly meant', () => {
    const other = { execNewPod: { containerName: 'other', command: ['true'] } }
    const volumes = { execNewPod: { ...execNewPod, volumes: ['data'] } }
    const { warnings } = plan('StatefulSet', { replicas: 3 }, [
      hook('beyond', 5),
      hook('never', 0, { rolloutTypes: [] }),
      hook('first', 0, { rolloutTypes: ['CREATE'] }),
      hook('lost', 0, other),
      hook('bare', 0, volumes),
    ])
    expect(warnings).toEqual([
      'hook beyond: 5 is more than the 3 pods; it runs at the end',
      'hook never never runs: it is for no type of rollout',
      'hook first never runs: the first pods of a StatefulSet cannot be held',
      'hook lost: the template has no container other; until this is fixed no hook runs',
      'hook bare: the template has no volume data',
    ])
  })

  it.each(['StatefulSet', 'DaemonSet'] as const)('warns of a %s that its owner rolls by hand', (kind) => {
    const { steps, warnings } = plan(kind, { updateStrategy: { type: 'OnDelete' } }, [hook('start', 0)])
    expect(steps[0]).toEqual({ kind: 'close', changes: {} })
    expect(warnings).toEqual([
      `${kind} web has the update strategy OnDelete, which never rolls by itself: no hook runs`,
    ])
  })

  it('does not take the strategy of a gate at rest for that of the owner', () => {
    const status = { desiredNumberScheduled: 3 }
    const labels = { 'carabiner.dev/hold': 'gate' }
    const resting = { updateStrategy: { type: 'OnDelete' } }
    expect(plan('DaemonSet', resting, [hook('first', 1)], { status, labels }).warnings).toEqual([])
  })

  it('knows how many nodes a DaemonSet runs on only when it is told', () => {
    const { warnings } = plan('DaemonSet', {}, [hook('first', 1)])
    expect(warnings).toEqual(['how many nodes DaemonSet web runs on is not known here: say --replicas'])
    expect(plan('DaemonSet', {}, [hook('first', 1)], { status: { desiredNumberScheduled: 3 } }).warnings).toEqual([])
  })

  it('has one pod fewer where a Deployment allows neither more nor fewer', () => {
    const strategy = { rollingUpdate: { maxSurge: 0, maxUnavailable: '10%' } }
    expect(plan('Deployment', { replicas: 3, strategy }, [])).toMatchObject({ surge: 0, unavailable: 1 })
  })

  it('warns of a middle that keeps every hook from running, and of nothing that would happen there', () => {
    const lifecycle = { mid: { failurePolicy: 'Abort' as const, execNewPod } }
    expect(plan('Deployment', {}, [], { more: { lifecycle } }).warnings).toEqual([
      'hook mid: Deployment web does not have the strategy Recreate; until this is fixed no hook runs',
    ])
  })

  it('warns of a middle that may leave no pod at all', () => {
    const warningsOf = (onAbort: 'Hold' | 'Undo', failurePolicy: FailurePolicy) =>
      plan('Deployment', { strategy: { type: 'Recreate' } }, [], {
        more: { onAbort, lifecycle: { mid: { failurePolicy, execNewPod } } },
      }).warnings
    expect(warningsOf('Hold', 'Abort')).toEqual([expect.stringMatching(/^hook mid: when it fails, no pod runs until/)])
    expect(warningsOf('Hold', 'Retry')).toEqual([])
    expect(warningsOf('Undo', 'Abort')).toEqual([])
  })

  it.each(['Deployment', 'StatefulSet'] as const)(
    '[rollouts W28 W29] runs the hooks of the given type of a %s',
    (kind) => {
      const hooks = [hook('migrate', 0), hook('back', 0, { rolloutTypes: ['UNDO'] })]
      const hooksOf = (type: RolloutType, rolloutTypes: readonly RolloutType[]) =>
        plan(kind, { replicas: 3 }, hooks, { type, more: { rolloutTypes } }).steps.flatMap((step) =>
          step.kind === 'hooks' ? step.hooks.map(({ name }) => name) : [],
        )
      expect(hooksOf('UNDO', ['ROLLOUT'])).toEqual(['back'])
      expect(hooksOf('RESTART', ['ROLLOUT'])).toEqual([])
      expect(hooksOf('RESTART', ['ROLLOUT', 'RESTART'])).toEqual(['migrate'])
      expect(hooksOf('ROLLOUT', ['ROLLOUT', 'RESTART'])).toEqual(['migrate'])
    },
  )
})
