import { describe, expect, it } from 'vitest'
import type { KubeClient } from '../../kube/client/client.ts'
import { createSimulation, type Simulation } from '../../runtime/simulated/index.ts'
import { scriptsSurface } from './index.ts'

const options = { place: { layout: 'folder', hooksDir: '/hooks' }, tmpDir: '/tmp' } as const
/** Hooks of the start need none. */
const client = {} as KubeClient

async function writeHook(simulation: Simulation, ran: string[], slow = 0): Promise<void> {
  const { runtime } = simulation
  await runtime.files.makeDirectory('/hooks')
  await runtime.files.write('/hooks/a', '#!/bin/sh\n', { mode: 0o755 })
  simulation.script('/hooks/a', async ({ spec, print, trap }) => {
    trap('SIGTERM', () => ran.push('told to end'))
    const isAsked = spec.args?.[0] === '--config'
    ran.push(isAsked ? 'asked' : 'ran')
    if (isAsked) await runtime.clock.sleep(slow)
    if (isAsked) print('{"onStartup": 1}')
    return 0
  })
}

describe('hooks that are asked before there is a cluster', () => {
  it('[addons C1] are not asked again when it is there', async () => {
    const simulation = createSimulation(1)
    await simulation.run(async () => {
      const ran: string[] = []
      await writeHook(simulation, ran)
      const surface = scriptsSurface(options)
      const stopping = new AbortController()
      const context = { client, runtime: simulation.runtime, signal: stopping.signal }
      await surface.prepare(context)
      await simulation.runtime.clock.sleep(1000)
      expect(ran).toEqual(['asked'])
      const running = await surface.start(context)
      await running.ready
      expect(ran).toEqual(['asked', 'ran'])
      stopping.abort()
      await running.stop()
    })
  })

  it('are ended when the operator is, though it never came to its work', async () => {
    const simulation = createSimulation(1)
    await simulation.run(async () => {
      const ran: string[] = []
      await writeHook(simulation, ran, 20_000)
      const stopping = new AbortController()
      await scriptsSurface(options).prepare({ runtime: simulation.runtime, signal: stopping.signal })
      await simulation.runtime.clock.sleep(1000)
      expect(ran).toEqual(['asked'])
      stopping.abort()
      await simulation.runtime.clock.sleep(1000)
      expect(ran).toEqual(['asked', 'told to end'])
    })
  })

  it('are not asked at all when the operator is over by then', async () => {
    const simulation = createSimulation(1)
    await simulation.run(async () => {
      const ran: string[] = []
      await writeHook(simulation, ran)
      await scriptsSurface(options).prepare({ runtime: simulation.runtime, signal: AbortSignal.abort() })
      await simulation.runtime.clock.sleep(1000)
      expect(ran).toEqual([])
    })
  })
})
