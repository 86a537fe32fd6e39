/** Building blocks of the rollout edge cases: hooks that wait for an approval, and observation of every pod. */
import { expect } from 'vitest'
import { answer } from '../../src/cli/rollout/approve.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import { templateIn } from '../../src/rollouts/objects/revision-template.ts'
import type { LifecycleHook, RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import { at, type Found, isReady, job, type Stage } from './rollout-stage.ts'

export interface Edge {
  /** Starts with the contract ids. */
  readonly title: string
  play(stage: Stage): Promise<void>
}

/** A hook that waits until it is approved. */
export function approvalHook(name: string, point: number | string, more: Partial<LifecycleHook> = {}): LifecycleHook {
  return { name, trigger: at(point), approval: {}, ...more }
}

/** A hook with a Job of two seconds. */
export function jobHook(name: string, point: number | string, settings = {}, more: Partial<LifecycleHook> = {}) {
  return { name, trigger: at(point), jobSpec: job({ 'run-for': '2s', ...settings }), ...more } satisfies LifecycleHook
}

/** Hooks for each retain policy and result of a Job: those named `always` and `on-failure` keep their Jobs. */
export function retentionHooks(): readonly LifecycleHook[] {
  const hook = (name: string, retainPolicy: 'Always' | 'OnFailure' | 'Never', code: string) =>
    jobHook(name, 0, { 'run-for': '0s', 'exit-code': code }, { retainPolicy, failurePolicy: 'Ignore' })
  return [
    hook('always', 'Always', '0'),
    hook('on-failure', 'OnFailure', '1'),
    hook('on-success', 'OnFailure', '0'),
    hook('never', 'Never', '1'),
  ]
}

const isWaitingForApproval = (name: string) => (policy: RolloutPolicy) =>
  policy.status?.rollout?.endedAt === undefined &&
  policy.status?.rollout?.hooks.some((hook) => hook.name === name && hook.state === 'Running') === true

/** Waits until the hook requests an approval in a rollout other than `except`. */
export async function untilApprovalRequested(
  stage: Stage,
  name: string,
  except?: string,
): Promise<NonNullable<RolloutPolicy['status']>> {
  const { status } = await stage.untilPolicy(
    (policy) => isWaitingForApproval(name)(policy) && policy.status?.rollout?.id !== except,
  )
  return status ?? {}
}

export async function approve(stage: Stage, name: string): Promise<void> {
  await answer({ client: stage.client, namespace: stage.namespace }, 'web', name, 'approved')
}

export const idOf = ({ status }: RolloutPolicy): string | undefined => status?.rollout?.id

/** Approves every request until the rollout after `before` has ended; returns the names in order. */
export async function approveAll(stage: Stage, before?: string): Promise<{ policy: RolloutPolicy; order: string[] }> {
  const order: string[] = []
  for (;;) {
    const policy = await stage.untilPolicy(
      (found) =>
        idOf(found) !== before &&
        (found.status?.rollout?.endedAt !== undefined ||
          found.status?.rollout?.hooks.some(({ name, state }) => state === 'Running' && !order.includes(name)) ===
            true),
    )
    const rollout = policy.status?.rollout
    if (rollout?.endedAt !== undefined) return { policy, order }
    for (const { name, state } of rollout?.hooks ?? []) {
      if (state !== 'Running' || order.includes(name)) continue
      order.push(name)
      await approve(stage, name)
    }
  }
}

/** Waits until the native controller has observed the workload. */
export async function settled(stage: Stage): Promise<void> {
  await stage.untilWorkload(({ metadata, status }) => status['observedGeneration'] === metadata.generation)
}

/** Replaces template and annotations with those of another revision, like `kubectl rollout undo`. */
export async function undoTo(stage: Stage, version: number): Promise<void> {
  const { items } = await stage.client.of(resources.replicaSets).list({ namespace: stage.namespace })
  const template = items.map(templateIn).find((one) => one.spec.containers[0]?.image === `example/app:${version}`)
  const annotations = { 'deployment.kubernetes.io/revision': '1' }
  const operations = [
    { op: 'replace' as const, path: '/spec/template', value: template },
    { op: 'replace' as const, path: '/metadata/annotations', value: annotations },
  ]
  const where = { namespace: stage.namespace }
  await stage.client.of(resources.deployments).patch('web', { type: 'json', operations }, where)
}

/** Observations of the pods of a workload, updated with every event. */
export interface PodObservations {
  /** Maximum number of non-terminating pods at a time. */
  maxPods: number
  /** Minimum number of ready pods at a time. */
  minReadyPods: number
  /** The last observed state of every pod that ever existed. */
  readonly pods: Map<string, Found>
  /** Resolves when `holds` returns true: the pods watch can lag behind the policy watch. */
  until(holds: (pods: readonly Found[]) => boolean): Promise<void>
}

/** Observes every event of the workload's pods, or of the selected ones, until the signal aborts. */
export async function watchPods(
  stage: Stage,
  signal: AbortSignal,
  labelSelector = 'app=web',
): Promise<PodObservations> {
  const options = { namespace: stage.namespace, labelSelector }
  const list = await stage.client.of<Found>(resources.pods).list(options)
  const present = new Map(list.items.map((pod) => [pod.metadata.uid, pod]))
  const pods = new Map(list.items.map((pod) => [pod.metadata.uid ?? '', pod]))
  const waiting = new Set<() => void>()
  const until: PodObservations['until'] = (holds) =>
    new Promise((resolve) => {
      const check = () => {
        if (!holds([...pods.values()])) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
    })
  const observed: PodObservations = { maxPods: 0, minReadyPods: Infinity, pods, until }
  const record = () => {
    const alive = [...present.values()].filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    observed.maxPods = Math.max(observed.maxPods, alive.length)
    observed.minReadyPods = Math.min(observed.minReadyPods, alive.filter(isReady).length)
    for (const check of waiting) check()
  }
  record()
  const from = list.metadata.resourceVersion
  const follow = async () => {
    for await (const event of stage.client.of<Found>(resources.pods).watch({
      ...options,
      ...(from === undefined ? {} : { resourceVersion: from }),
      signal,
    })) {
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED' && event.type !== 'DELETED') continue
      const { uid } = event.object.metadata
      if (event.type === 'DELETED') present.delete(uid)
      else present.set(uid, event.object)
      pods.set(uid ?? '', event.object)
      record()
    }
  }
  follow().catch(() => undefined)
  return observed
}

/** Expects that no field or label of the gate is left on the workload. */
export async function expectReleased(stage: Stage): Promise<void> {
  const { metadata, spec } = await stage.untilWorkload(
    ({ metadata: seen }) => seen.labels?.['carabiner.dev/hold'] === undefined,
  )
  expect(Object.keys(metadata.labels ?? {})).toEqual(['carabiner.dev/rollout-policy'])
  expect(spec['paused'] ?? false).toBe(false)
}
