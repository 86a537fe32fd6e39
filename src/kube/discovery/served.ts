/**
 * Waits for kinds of which a definition was just made. A server says that it is established a moment before its list of what it serves
 * has it, and a busy one some seconds before.
 */
import type { Clock } from '../../runtime/clock.ts'
import { ResourceNotServed } from '../errors.ts'
import type { CustomResourceDefinition } from '../kinds/index.ts'
import type { KubeObject } from '../object.ts'
import type { Discovery } from './discovery.ts'

/** Milliseconds between two looks, and until the server is believed. */
const pause = 100
const patience = 30_000

/** Rejects with `ResourceNotServed` when the server does not tell of it within half a minute. */
export async function untilServed(
  discovery: Discovery,
  clock: Clock,
  definition: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const { group, names, versions } = (definition as CustomResourceDefinition).spec
  const deadline = clock.monotonic() + patience
  for (const { name } of versions.filter(({ served }) => served)) {
    while (!(await isServed(discovery, `${group}/${name}`, names.kind, clock.monotonic() < deadline)))
      await clock.sleep(pause, signal)
  }
}

async function isServed(discovery: Discovery, apiVersion: string, kind: string, isEarly: boolean): Promise<boolean> {
  try {
    await discovery.find(apiVersion, kind)
    return true
  } catch (error) {
    if (isEarly && error instanceof ResourceNotServed) return false
    throw error
  }
}
