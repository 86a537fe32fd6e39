/**
 * Waits until an object is gone, by following it. Another object of the same name counts as gone: it is not the one that was deleted.
 */
import type { ResourceClient } from '../../../kube/client/client.ts'
import type { KubeObject } from '../../../kube/object.ts'
import { createReflector } from '../../../kube/reflector/reflector.ts'
import type { Runtime } from '../../../runtime/runtime.ts'

export interface Deleted {
  readonly name: string
  readonly namespace?: string
  readonly uid: string
}

/** Resolves with false when it is still there after `patience` milliseconds. */
export async function untilGone(
  client: ResourceClient,
  runtime: Runtime,
  { name, namespace, uid }: Deleted,
  patience: number,
  signal: AbortSignal,
): Promise<boolean> {
  const reflector = createReflector<string>(client, runtime, {
    ...(namespace === undefined ? {} : { namespace }),
    fieldSelector: `metadata.name=${name}`,
    project: (object: KubeObject) => object.metadata.uid ?? '',
  })
  const { cache } = reflector
  const done = new AbortController()
  const isThere = (): boolean => [...cache.values()].includes(uid)
  const gone = new Promise<boolean>((resolve, reject) => {
    const look = (): void => {
      if (!isThere()) resolve(true)
    }
    void cache.synced.then(() => {
      look()
      cache.subscribe(look)
    })
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: done.signal })
    runtime.clock.sleep(patience, done.signal).then(
      () => resolve(false),
      () => undefined,
    )
  })
  const running = reflector.run(AbortSignal.any([signal, done.signal]))
  try {
    return await gone
  } finally {
    done.abort(new Error('no longer waited for'))
    await running
  }
}
