/**
 * Concurrent writers that change workloads in different ways: patches of every kind, server-side apply, update, restart. Others resume,
 * remove the label, annotate and scale, like tools that do not know of the gate.
 */
import { isConflict, isNotFound } from '../../src/kube/errors.ts'
import type { KubeClient, KubeObject, ResourceType } from '../../src/kube/index.ts'
import { holdLabel } from '../../src/rollouts/labels.ts'

export interface Target {
  readonly type: ResourceType
  readonly namespace: string
  readonly name: string
}

type Template = { readonly metadata?: object; readonly spec: { readonly containers: readonly { name: string }[] } }
type Workload = KubeObject & { readonly spec: { readonly template: Template } }

const containersWith = (image: string) => [{ name: 'main', image }]

/** Each way changes the template to one that did not exist before. */
const ways: readonly ((client: KubeClient, target: Target, image: string) => Promise<unknown>)[] = [
  (client, { type, namespace, name }, image) => {
    const value = { spec: { template: { spec: { containers: containersWith(image) } } } }
    return client.of(type).patch(name, { type: 'strategic', value }, { namespace })
  },
  (client, { type, namespace, name }, image) => {
    const value = { spec: { template: { spec: { containers: containersWith(image) } } } }
    return client.of(type).patch(name, { type: 'merge', value }, { namespace })
  },
  (client, { type, namespace, name }, value) => {
    const operations = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value }]
    return client.of(type).patch(name, { type: 'json', operations }, { namespace })
  },
  (client, { type, namespace, name }, image) => {
    const spec = { template: { spec: { containers: containersWith(image) } } }
    const object = { apiVersion: 'apps/v1', kind: type.kind, metadata: { name, namespace }, spec } as KubeObject
    return client.of(type).apply(object, { fieldManager: 'gitops', force: true })
  },
  async (client, { type, namespace, name }, image) => {
    const found = await client.of<Workload>(type).get(name, { namespace })
    const template = {
      ...found.spec.template,
      spec: { ...found.spec.template.spec, containers: containersWith(image) },
    }
    return client.of<Workload>(type).update({ ...found, spec: { ...found.spec, template } })
  },
  (client, { type, namespace, name }, image) => {
    const annotations = { 'kubectl.kubernetes.io/restartedAt': image }
    const value = { spec: { template: { metadata: { annotations } } } }
    return client.of(type).patch(name, { type: 'strategic', value }, { namespace })
  },
]

/** Makes one change; an update with a conflict is repeated. */
export async function change(client: KubeClient, target: Target, number: number): Promise<void> {
  const way = ways[number % ways.length]
  for (;;) {
    try {
      await way?.(client, target, `example/app:${number}`)
      return
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
}

/** A change by a tool that does not know of the gate. */
export async function interfere(client: KubeClient, { type, namespace, name }: Target, number: number): Promise<void> {
  const handle = client.of(type)
  const values: readonly object[] = [
    { metadata: { labels: { [holdLabel]: null } } },
    { metadata: { annotations: { meddled: String(number) } } },
    type.kind === 'Deployment'
      ? { spec: { paused: false } }
      : {
          spec: {
            updateStrategy: {
              type: 'RollingUpdate',
              ...(type.kind === 'StatefulSet' && { rollingUpdate: { partition: 0 } }),
            },
          },
        },
  ]
  try {
    const value = values[number % (values.length + 1)]
    if (value !== undefined) await handle.patch(name, { type: 'merge', value }, { namespace })
    else if (type.kind !== 'DaemonSet') {
      const scaled = { spec: { replicas: 2 + (number % 3) } }
      await handle.patch(name, { type: 'merge', value: scaled }, { namespace, subresource: 'scale' })
    }
  } catch (error) {
    // Two such changes at the same time may conflict.
    if (!isConflict(error) && !isNotFound(error)) throw error
  }
}
