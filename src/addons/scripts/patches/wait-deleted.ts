/** Waits until an object is deleted, with a watch. Another object of the same name counts as deleted. */
import { createReflector, type KubeObject, type ResourceClient } from '../../../kube/index.ts'
import type { Runtime } from '../../../runtime/index.ts'

export interface Deleted {
  readonly name: string
  readonly namespace?: string
  readonly uid: string
}

/** Resolves with false when the object still exists after `timeoutMs`. */
export async function waitUntilDeleted(
  client: ResourceClient,
  runtime: Runtime,
  { name, namespace, uid }: Deleted,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  const reflector = createReflector<string>(client, runtime, {
    ...(namespace === undefined ? {} : { namespace }),
    fieldSelector: `metadata.name=${name}`,
    project: (object: KubeObject) => object.metadata.uid ?? '',
  })
  const { cache } = reflector
  const done = new AbortController()
  const exists = (): boolean => [...cache.values()].includes(uid)
  const gone = new Promise<boolean>((resolve, reject) => {
    const check = (): void => {
      if (!exists()) resolve(true)
    }
    void cache.synced.then(() => {
      check()
      cache.subscribe(check)
    })
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: done.signal })
    runtime.clock.sleep(timeoutMs, done.signal).then(
      () => resolve(false),
      () => undefined,
    )
  })
  const running = reflector.run(AbortSignal.any([signal, done.signal]))
  try {
    return await gone
  } finally {
    done.abort(new Error('the wait has ended'))
    await running
  }
}
