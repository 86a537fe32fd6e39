/**
 * Follows the objects of the gate in the cluster: a gate that was removed, or is of another version, does not hold, and the engine and
 * `carabiner doctor` report it.
 */
import { type Cache, createReflector, type KubeClient, type KubeObject, type ResourceType } from '../../kube/index.ts'
import type { Runtime } from '../../runtime/index.ts'
import { installationSelector } from '../labels.ts'
import { stampOf } from './stamp.ts'

export interface Presence {
  /** What is wrong with the gate; undefined when it is as it should be. */
  problem(): string | undefined
  /** Called when something of it has changed. */
  subscribe(listener: () => void): void
  readonly ended: Promise<void>
}

export async function followGate(
  client: KubeClient,
  runtime: Runtime,
  wanted: readonly { readonly type: ResourceType; readonly object: KubeObject }[],
  signal: AbortSignal,
): Promise<Presence> {
  const labelSelector = installationSelector
  const types = [...new Set(wanted.map(({ type }) => type))]
  const caches = new Map<ResourceType, Cache<string>>()
  const running: Promise<void>[] = []
  for (const type of types) {
    // A client without permission fails at once; the reflector would retry without end.
    await client.of(type).list({ labelSelector, limit: 1 })
    const project = (object: KubeObject) => stampOf(object) ?? ''
    const reflector = createReflector<string>(client.of(type), runtime, { labelSelector, project })
    caches.set(type, reflector.cache)
    running.push(reflector.run(AbortSignal.any([signal])))
  }
  await Promise.all([...caches.values()].map(({ synced }) => synced))
  return {
    problem() {
      const state = ({ type, object }: (typeof wanted)[number]) => {
        const stamp = caches.get(type)?.get(object.metadata.name)
        return stamp === undefined ? 'missing' : stamp === stampOf(object) ? 'there' : 'other'
      }
      const name = ({ object }: (typeof wanted)[number]) => `${object.kind} ${object.metadata.name}`
      const missing = wanted.filter((one) => state(one) === 'missing')
      if (missing.length > 0) return `not installed: ${missing.map(name).join(', ')}`
      const others = wanted.filter((one) => state(one) === 'other')
      if (others.length > 0) return `installed for another version or another user: ${others.map(name).join(', ')}`
      return undefined
    },
    subscribe(listener) {
      for (const cache of caches.values()) cache.subscribe(listener)
    },
    ended: Promise.all(running).then(() => undefined),
  }
}
