/**
 * Waits for one object with a reflector, which handles lost connections.
 */
import type { Runtime } from '../runtime/index.ts'
import type { ResourceClient } from './client/client.ts'
import type { KubeObject } from './object.ts'
import { createReflector } from './reflector/reflector.ts'

export interface AwaitedObject {
  readonly name: string
  readonly namespace?: string | undefined
  readonly signal: AbortSignal
}

/** Resolves with the object as soon as `holds` is true of it; rejects with the signal's reason when `signal` aborts first. */
export function until<T extends KubeObject>(
  client: ResourceClient<T>,
  runtime: Runtime,
  { name, namespace, signal }: AwaitedObject,
  holds: (object: T) => boolean,
): Promise<T> {
  const reflector = createReflector<T>(client, runtime, {
    ...(namespace === undefined ? {} : { namespace }),
    fieldSelector: `metadata.name=${name}`,
    project: (object: KubeObject) => object as T,
  })
  const done = new AbortController()
  return new Promise<T>((resolve, reject) => {
    reflector.cache.subscribe((change) => {
      if (change.type !== 'deleted' && holds(change.value)) resolve(change.value)
    })
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: done.signal })
    reflector.run(AbortSignal.any([signal, done.signal])).catch(reject)
  }).finally(() => done.abort())
}
