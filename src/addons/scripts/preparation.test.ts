import { describe, expect, it } from 'vitest'
import type { KubeClient } from '../../kube/client/client.ts'
import { createSimulation, type Simulation } from '../../runtime/simulated/index.ts'
import { scriptsSurface } from './index.ts'

const options = { place: { layout: 'folder', hooksDir: '/hooks' }, tmpDir: '/tmp' } as const
/** onStartup hooks need no cluster. */
const client = {} as KubeClient

async function writeHook(simulation: Simulation, ran: string[], slow = 0): Promise<void> {
  const { runtime } = simulation
  await runtime.files.makeDirectory('/hooks')
  await runtime.files.write('/hooks/a', '#!/bin/sh\n', { mode: 0o755 })
  simulation.script('/hooks/a', async ({ spec, print, trap }) => {
    trap('SIGTERM', () => ran.push('stopped'))
    const isConfig = spec.args?.[0] === '--config'
    ran.push(isConfig ? 'config' : 'ran')
    if (isConfig) await runtime.clock.sleep(slow)
    if (isConfig) print('{"onStartup": 1}')
    return 0
  })
}

describe('hooks loaded before the cluster is connected', () => {
  it('[addons C1] are not loaded again when the surface starts', async () => {
    const simulation = createSimulation(1)
    await simulation.run(async () => {
      const ran: string[] = []
      await writeHook(simulation, ran)
      const surface = scriptsSurface(options)
      const stopping = new AbortController()
      const context = { client, runtime: simulation.runtime, signal: stopping.signal }
      await surface.prepare(context)
      await simulation.runtime.clock.sleep(1000)
      expect(ran).toEqual(['config'])
      const running = await surface.start(context)
      await running.ready
      expect(ran).toEqual(['config', 'ran'])
      stopping.abort()
      await running.stop()
    })
  })

  it('are stopped with an operator that never started', async () => {
    const simulation = createSimulation(1)
    await simulation.run(async () => {
      const ran: string[] = []
      await writeHook(simulation, ran, 20_000)
      const stopping = new AbortController()
      await scriptsSurface(options).prepare({ runtime: simulation.runtime, signal: stopping.signal })
      await simulation.runtime.clock.sleep(1000)
      expect(ran).toEqual(['config'])
      stopping.abort()
      await simulation.runtime.clock.sleep(1000)
      expect(ran).toEqual(['config', 'stopped'])
    })
  })

  it('are not loaded after the operator was stopped', async () => {
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
