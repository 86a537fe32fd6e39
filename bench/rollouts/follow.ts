/** Waits for conditions of many objects, with one watch that is open only while a caller waits. */
import { createReflector, type KubeObject, type ResourceType } from '../../src/kube/index.ts'
import type { BenchCluster } from './cluster.ts'

export interface Awaited<T> {
  readonly type: ResourceType
  readonly namespace: string
  readonly names: readonly string[]
  readonly holds: (object: T) => boolean
  /** After which to give up waiting. @default never */
  readonly withinSeconds?: number | undefined
}

/** Resolves with the objects when `holds` was true of each of them, or when the time is over. */
export async function untilEach<T extends KubeObject>(
  { client, runtime }: Pick<BenchCluster, 'client' | 'runtime'>,
  { type, namespace, names, holds, withinSeconds }: Awaited<T>,
): Promise<readonly T[]> {
  const ended = new AbortController()
  const reflector = createReflector<T>(client.of<T>(type), runtime, { namespace })
  const waiting = new Set(names)
  const done = new Promise<void>((resolve) => {
    reflector.cache.subscribe((change) => {
      if (change.type === 'deleted' || !holds(change.value)) return
      waiting.delete(change.value.metadata.name)
      if (waiting.size === 0) resolve()
    })
  })
  const running = reflector.run(ended.signal)
  const timeUp = withinSeconds === undefined ? [] : [runtime.clock.sleep(withinSeconds * 1000, ended.signal)]
  await Promise.race([done, ...timeUp])
  const objects = [...reflector.cache.values()]
  ended.abort()
  await Promise.allSettled([running, ...timeUp])
  return objects
}

/** Calls `work` for every item, `atOnce` of them at a time. */
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
