/**
 * Waits until the kinds of a new CustomResourceDefinition are served. The condition Established comes before discovery lists the kind, on a
 * busy server by some seconds.
 */
import type { Clock } from '../../runtime/index.ts'
import { ResourceNotServed } from '../errors.ts'
import type { CustomResourceDefinition } from '../kinds/index.ts'
import type { KubeObject } from '../object.ts'
import type { Discovery } from './discovery.ts'

const pollIntervalMs = 100
const servedTimeoutMs = 30_000

/** Rejects with `ResourceNotServed` when discovery does not list the kind within 30 s. */
export async function untilServed(
  discovery: Discovery,
  clock: Clock,
  definition: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const { group, names, versions } = (definition as CustomResourceDefinition).spec
  const deadline = clock.monotonic() + servedTimeoutMs
  for (const { name } of versions.filter(({ served }) => served)) {
    for (;;) {
      const isLast = clock.monotonic() >= deadline
      const missing = await find(discovery, `${group}/${name}`, names.kind)
      if (missing === undefined) break
      if (isLast) throw missing
      await clock.sleep(pollIntervalMs, signal)
    }
  }
}

/** Undefined when the kind is served. */
async function find(discovery: Discovery, apiVersion: string, kind: string): Promise<ResourceNotServed | undefined> {
  try {
    await discovery.find(apiVersion, kind)
    return undefined
  } catch (error) {
    if (error instanceof ResourceNotServed) return error
    throw error
  }
}
