/** Minimal workloads for tests, and functions to read them. */
import type { Cluster } from './suite.ts'
import type { Thing } from './target.ts'

/** Annotations that control how nodes simulate a pod; the same on the sandbox and on a real control plane. */
export function behaviour(settings: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [`sandbox.carabiner.dev/${name}`, value]))
}

export function podTemplate(app: string, image = 'example/app:1', settings: Readonly<Record<string, string>> = {}) {
  return {
    metadata: { labels: { app }, annotations: behaviour(settings) },
    spec: { containers: [{ name: 'main', image }] },
  }
}

export function deployment(name: string, replicas: number, spec: object = {}) {
  return {
    metadata: { name },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: podTemplate(name), ...spec },
  }
}

export function statefulSet(name: string, replicas: number, spec: object = {}) {
  return { metadata: { name }, spec: { ...deployment(name, replicas).spec, serviceName: name, ...spec } }
}

export function daemonSet(name: string, spec: object = {}) {
  return {
    metadata: { name },
    spec: { selector: { matchLabels: { app: name } }, template: podTemplate(name), ...spec },
  }
}

export function job(name: string, spec: object = {}, settings: Readonly<Record<string, string>> = {}) {
  const template = podTemplate(name, 'example/job:1', settings)
  return {
    metadata: { name },
    spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } }, ...spec },
  }
}

export const mergePatch = { 'content-type': 'application/merge-patch+json' }

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

export function conditionOf({ status }: Thing, type: string): Condition | undefined {
  return (status as { conditions?: Condition[] } | undefined)?.conditions?.find((condition) => condition.type === type)
}

/** A number of the status; 0 when absent, because the API server omits zeros. */
export function count({ status }: Thing, name: string): number {
  return (status as Record<string, number> | undefined)?.[name] ?? 0
}

export function isRolledOut(object: Thing): boolean {
  const wanted = object.spec['replicas'] as number
  const seen = count(object, 'observedGeneration') === object.metadata.generation
  return seen && ['replicas', 'updatedReplicas', 'availableReplicas'].every((name) => count(object, name) === wanted)
}

export function imageOf({ spec }: Thing): string | undefined {
  const template = (spec['template'] as { spec: typeof spec } | undefined)?.spec ?? spec
  return (template['containers'] as { image: string }[])[0]?.image
}

/** Completes the pod of a running Job, so that it runs exactly as long as the test needs. */
export async function endJob(cluster: Cluster, ns: string, name: string): Promise<void> {
  const pods = `/api/v1/namespaces/${ns}/pods`
  // The node writes no more status once the pod is ready.
  const isReady = (pod: Thing) => conditionOf(pod, 'Ready')?.status === 'True'
  const found = await cluster.untilList(`${pods}?labelSelector=job-name%3D${name}`, (items) => items.some(isReady))
  for (const { metadata } of found.filter(isReady)) {
    const body = { status: { phase: 'Succeeded' } }
    await cluster.call('PATCH', `${pods}/${metadata.name}/status`, { headers: mergePatch, body })
  }
}

/** Non-terminating pods, by image. */
export async function podsByImage(cluster: Cluster, ns: string, app: string): Promise<Record<string, number>> {
  const { body } = await cluster.call('GET', `/api/v1/namespaces/${ns}/pods?labelSelector=app%3D${app}`)
  const counts: Record<string, number> = {}
  for (const pod of body.items.filter((item) => item.metadata.deletionTimestamp === undefined)) {
    const image = imageOf(pod) ?? ''
    counts[image] = (counts[image] ?? 0) + 1
  }
  return counts
}
