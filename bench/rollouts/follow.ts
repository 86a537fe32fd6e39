/** Waits for what becomes of many objects, by one watch. */
import { createReflector, type KubeClient, type KubeObject, type ResourceType } from '../../src/kube/index.ts'
import type { Runtime } from '../../src/runtime/index.ts'

export interface Following<T> {
  /** Resolves when `holds` of every object named. */
  until(names: readonly string[], holds: (object: T) => boolean): Promise<void>
  /** What is there now. */
  all(): readonly T[]
  stop(): Promise<void>
}

export async function follow<T extends KubeObject>(
  client: KubeClient,
  runtime: Runtime,
  type: ResourceType,
  namespace: string,
): Promise<Following<T>> {
  const ended = new AbortController()
  const reflector = createReflector<T>(client.of<T>(type), runtime, { namespace })
  const { cache } = reflector
  const running = reflector.run(ended.signal)
  await cache.synced
  return {
    until(names, holds) {
      const isDone = (name: string) => {
        const object = cache.get(`${namespace}/${name}`)
        return object !== undefined && holds(object)
      }
      const waiting = new Set(names.filter((name) => !isDone(name)))
      if (waiting.size === 0) return Promise.resolve()
      return new Promise((resolve) => {
        const stop = cache.subscribe((change) => {
          const name = change.key.slice(namespace.length + 1)
          if (!waiting.has(name) || !isDone(name)) return
          waiting.delete(name)
          if (waiting.size > 0) return
          stop()
          resolve()
        })
      })
    },
    all: () => [...cache.values()],
    async stop() {
      ended.abort()
      await running
    },
  }
}

/** Does `work` for every item, `atOnce` of them at a time. */
export async function forEach<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items.values()
  const one = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}
