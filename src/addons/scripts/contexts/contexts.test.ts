import { describe, expect, it } from 'vitest'
import type { KubernetesBinding } from '../config/types.ts'
import type { Hook } from '../hook.ts'
import type { SeenObject } from '../watching/monitor.ts'
import { bindingContexts } from './contexts.ts'
import { textOf } from './json-pieces.ts'
import { Snapshots } from './snapshots.ts'

/** Spread into a call, their pieces would be too many arguments. */
const count = 200_000

function sourceOf(seen: readonly SeenObject[]) {
  const monitor = { blocks: [{ keys: seen.map(({ key }) => key) }], objectsOf: () => seen }
  return { snapshots: new Snapshots(), monitorOf: () => monitor }
}

describe('bindingContexts of a binding with 200,000 objects', () => {
  const binding = { name: 'pods', includeSnapshotsFrom: ['pods'] } as unknown as KubernetesBinding
  const hook = { config: { version: 'v1', kubernetes: [binding] } } as unknown as Hook

  it.each([
    { keepsObjects: true, first: { object: { n: 1 }, filterResult: 2 } },
    { keepsObjects: false, first: { filterResult: 2 } },
  ])('has them in objects and snapshots, with keepsObjects $keepsObjects', ({ keepsObjects, first }) => {
    const whole = keepsObjects ? new TextEncoder().encode('{"n":1}') : undefined
    const seen = Array.from({ length: count }, (_, index): SeenObject => ({ key: `a/${index}`, result: '2', whole }))
    const source = sourceOf(seen)
    const [context] = JSON.parse(textOf(bindingContexts(hook, [{ kind: 'synchronization', binding }], source)))
    expect([context.objects.length, context.snapshots.pods.length]).toEqual([count, count])
    expect([context.objects[0], context.snapshots.pods[count - 1]]).toEqual([first, first])
  })
})
