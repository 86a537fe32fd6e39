/** Operator shutdown in virtual time: it is logged, surfaces get shutdownSeconds, then they are abandoned. */
import { expect, it } from 'vitest'
import { createClient } from '../../src/kube/client/create.ts'
import { startOperator } from '../../src/operator/operator.ts'
import { resolveSettings } from '../../src/operator/settings.ts'
import type { Surface } from '../../src/operator/surface.ts'
import { createSimulation } from '../../src/runtime/simulated/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'

it('logs the shutdown and the surface it abandons', async () => {
  const simulation = createSimulation(1)
  await simulation.run(async () => {
    const { runtime } = simulation
    const sandbox = createSandbox(runtime, { nodes: 0 })
    await sandbox.ready
    const client = createClient({ transport: sandbox.transport(), runtime })
    const stubborn: Surface = {
      name: 'stubborn',
      resources: [],
      start: async () => ({ ready: Promise.resolve(), stop: () => new Promise<void>(() => {}) }),
    }
    const { values: settings } = resolveSettings({ flags: { listenPort: 0, shutdownSeconds: 5 } })
    const ending = new AbortController()
    const options = { runtime, client, settings, surfaces: [stubborn], identity: 'me' }
    const { ready, ended } = await startOperator(options, ending.signal)
    await ready
    ending.abort()
    const since = runtime.clock.monotonic()
    await ended
    expect(runtime.clock.monotonic() - since).toBe(5000)
    const said = simulation.logs.filter(({ message }) => /stop/.test(message))
    expect(said.map(({ message }) => message)).toEqual([
      'stopping',
      'surface did not stop within shutdownSeconds; abandoning it',
    ])
    await sandbox.stop()
  })
})
