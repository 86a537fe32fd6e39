/**
 * Shows that the gate lets no pod through: many workloads with a hook before the first pod, many concurrent writers, and a recorder of all
 * pods. The bench runs it with a thousand changes, the test suite with a few.
 */
import { isForbidden } from '../../src/kube/errors.ts'
import type { KubeClient, KubeObject } from '../../src/kube/index.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import { until } from '../../src/kube/until.ts'
import { holdLabel, optInLabel } from '../../src/rollouts/labels.ts'
import { policyType } from '../../src/rollouts/observe/caches.ts'
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'
import { daemonSet, deployment, job, podTemplate, statefulSet } from '../cluster/workloads.ts'
import { PodRecorder } from './pod-recorder.ts'
import { change, interfere, type Target } from './writers.ts'

export interface LeakOptions {
  readonly namespace: string
  readonly changes: number
  /** Of every four workloads, two are Deployments, one is a StatefulSet and one a DaemonSet. */
  readonly workloads: number
  /** Writers that change templates; half as many interfere with other changes. */
  readonly writers: number
  /** Labels of the workloads. */
  readonly labels?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

export interface LeakResult {
  readonly changes: number
  readonly pods: number
  readonly hooks: number
  readonly leaked: readonly string[]
}

export async function findLeaks(client: KubeClient, runtime: Runtime, options: LeakOptions): Promise<LeakResult> {
  const { namespace, changes, writers, signal } = options
  const targets = await Promise.all(
    Array.from({ length: options.workloads }, (_, number) => prepared(client, runtime, options, number)),
  )
  const recorder = new PodRecorder()
  await recorder.begin(client, namespace)
  let next = 2
  let isOver = false
  const pick = (number: number) => targets[(number * 7) % targets.length] as Target
  // A deleted pod of a DaemonSet is created again with the newest template, in spite of the gate; so there is one change at a time.
  const changeAlone = async (target: Target, number: number) => {
    await settled(client, runtime, target, signal)
    await change(client, target, number)
  }
  const turns = new Map<Target, Promise<void>>()
  const inTurn = (target: Target, work: () => Promise<void>) => {
    const turn = (turns.get(target) ?? Promise.resolve()).then(work)
    turns.set(target, turn)
    return turn
  }
  const writer = async () => {
    while (next < changes + 2) {
      const number = next++
      // Two consecutive changes are for the same workload: the second supersedes the first.
      const target = pick(Math.floor(number / 2))
      if (target.type.kind === 'DaemonSet') await inTurn(target, () => changeAlone(target, number))
      else await change(client, target, number)
      if (number % 2 === 0) await settled(client, runtime, target, signal)
    }
  }
  const interferer = async (seed: number) => {
    for (let number = seed; !isOver; number++) {
      await interfere(client, pick(number * 3), number)
      await runtime.clock.sleep(20)
    }
  }
  const interferers = Array.from({ length: Math.ceil(writers / 2) }, (_, seed) => interferer(seed))
  try {
    await Promise.all(Array.from({ length: writers }, writer))
    await Promise.all(targets.map((target) => settled(client, runtime, target, signal)))
  } finally {
    isOver = true
    await Promise.all(interferers)
  }
  await Promise.all(targets.map((target) => settled(client, runtime, target, signal)))
  await recorder.end()
  return { changes, ...recorder.result() }
}

async function prepared(
  client: KubeClient,
  runtime: Runtime,
  { namespace, signal, labels = {} }: LeakOptions,
  number: number,
): Promise<Target> {
  const name = `web-${number}`
  const [type, object] = (
    [
      [resources.deployments, deployment(name, 3)],
      [resources.statefulSets, statefulSet(name, 3, { podManagementPolicy: 'Parallel' })],
      [resources.deployments, deployment(name, 2)],
      [resources.daemonSets, daemonSet(name)],
    ] as const
  )[number % 4] ?? [resources.deployments, deployment(name, 3)]
  const metadata = { ...object.metadata, namespace, labels }
  await client.of(type).create({ ...object, apiVersion: 'apps/v1', kind: type.kind, metadata } as KubeObject)
  const hook = { backoffLimit: 0, ...job('hook', {}, { 'run-for': '100ms' }).spec }
  await until(client.of(type), runtime, { namespace, name, signal: AbortSignal.any([signal]) }, isUp)
  await client.of<RolloutPolicy>(policyType).create({
    apiVersion: 'carabiner.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name, namespace },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: type.kind as 'Deployment', name },
      lifecycleHooks: [
        {
          name: 'migrate',
          trigger: { progressAvailableParams: { progressPoint: 0 } },
          retainPolicy: 'Never',
          jobSpec: hook,
        },
      ],
    },
  })
  const target = { type, namespace, name }
  await settled(client, runtime, target, signal)
  return target
}

function isUp(object: KubeObject): boolean {
  const { status = {}, spec } = object as { status?: Record<string, number>; spec?: { replicas?: number } }
  const wanted = spec?.replicas ?? status['desiredNumberScheduled'] ?? 0
  return wanted > 0 && (status['availableReplicas'] ?? status['numberAvailable'] ?? 0) === wanted
}

/** Waits until no rollout runs and the workload is released. */
async function settled(client: KubeClient, runtime: Runtime, target: Target, ending: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([ending])
  const { type, namespace, name } = target
  await until(client.of(type), runtime, { namespace, name, signal }, ({ metadata }) => !isHeld(metadata.labels))
  await until(
    client.of<RolloutPolicy>(policyType),
    runtime,
    { namespace, name, signal },
    ({ status }) => status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false,
  )
}

function isHeld(labels: Readonly<Record<string, string>> | undefined): boolean {
  return labels?.[holdLabel] !== undefined
}

/** The API server learns of a gate through a watch, so this waits until a change of each kind is held. */
export async function untilGateHolds(client: KubeClient, namespace: string): Promise<void> {
  const kinds = [
    [resources.deployments, deployment('probe', 0)],
    [resources.statefulSets, statefulSet('probe', 0)],
    [resources.daemonSets, daemonSet('probe', { template: { ...podTemplate('probe'), spec: nowhere } })],
  ] as const
  for (const [type, object] of kinds) {
    const metadata = { ...object.metadata, namespace }
    await client.of(type).create({ ...object, apiVersion: 'apps/v1', kind: type.kind, metadata } as KubeObject)
    for (let number = 0; ; number++) {
      const template = { metadata: { annotations: { number: String(number) } } }
      const value = { metadata: { labels: { [optInLabel]: 'probe' } }, spec: { template } }
      // The validating rules can become active before the mutating ones and refuse a change that is not held yet.
      const refused = (error: unknown) => {
        if (!isForbidden(error)) throw error
      }
      const changed = await client.of(type).patch('probe', { type: 'merge', value }, { namespace }).catch(refused)
      if (isHeld(changed?.metadata.labels)) break
      if (number > 500) throw new Error(`the gate of ${type.resource} never held a change`)
    }
    await client.of(type).delete('probe', { namespace })
  }
}

const nowhere = { ...podTemplate('probe').spec, nodeSelector: { nowhere: 'true' } }
