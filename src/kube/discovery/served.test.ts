import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { ResourceNotServed } from '../errors.ts'
import type { KubeObject } from '../object.ts'
import type { DiscoveredResource } from './catalog.ts'
import type { Discovery } from './discovery.ts'
import { untilServed } from './served.ts'

const version = (name: string, more = {}) => ({ name, served: true, storage: true, ...more })
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.x.io' },
  spec: {
    group: 'x.io',
    names: { kind: 'Thing' },
    versions: [version('v1'), version('v0', { served: false, storage: false })],
  },
} as KubeObject

/** A server that tells of the kind at the given look. */
function servingAt(look: number) {
  const asked: string[] = []
  const find = async (apiVersion: string, kind: string) => {
    asked.push(`${kind} in ${apiVersion}`)
    if (asked.length < look) throw new ResourceNotServed(kind)
    return {} as DiscoveredResource
  }
  return { asked, discovery: { find } as Discovery }
}

function wait(discovery: Discovery, signal = new AbortController().signal) {
  const simulation = createSimulation(1)
  const { clock } = simulation.runtime
  return simulation.run(async () => {
    await untilServed(discovery, clock, definition, signal)
    return clock.monotonic()
  })
}

describe('untilServed', () => {
  it('waits until discovery lists the kind in all served versions', async () => {
    const { discovery, asked } = servingAt(4)
    expect(await wait(discovery)).toBe(300)
    expect(new Set(asked)).toEqual(new Set(['Thing in x.io/v1']))
  })

  it('rejects after half a minute', async () => {
    const { discovery, asked } = servingAt(Infinity)
    await expect(wait(discovery)).rejects.toThrow(ResourceNotServed)
    expect(asked).toHaveLength(301)
  })

  it('rejects at once on any other error', async () => {
    const find = () => Promise.reject(new Error('the connection was refused'))
    await expect(wait({ find } as unknown as Discovery)).rejects.toThrow('the connection was refused')
  })
})
