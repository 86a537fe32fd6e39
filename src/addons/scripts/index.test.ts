import { expect, it } from 'vitest'
import type { KubeClient } from '../../kube/client/client.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { scriptsSurface } from './index.ts'

/** The metrics at `/metrics` and `/metrics/hooks` after an onStartup hook has counted. */
async function metricsWith({ hookMetricsEverywhere }: { hookMetricsEverywhere: boolean }): Promise<readonly string[]> {
  const simulation = createSimulation(1)
  const { runtime } = simulation
  return simulation.run(async () => {
    await runtime.files.makeDirectory('/hooks')
    await runtime.files.write('/hooks/a', '#!/bin/sh\n', { mode: 0o755 })
    simulation.script('/hooks/a', async ({ spec, print, runtime: { files } }) => {
      if (spec.args?.[0] === '--config') print('{"onStartup": 1}')
      else await files.write(spec.env['METRICS_PATH'] ?? '', '{"name":"orders_total","add":3}')
      return 0
    })
    const place = { layout: 'folder', hooksDir: '/hooks' } as const
    const surface = scriptsSurface({ place, tmpDir: '/tmp', hookMetricsEverywhere })
    const ending = new AbortController()
    const running = await surface.start({ client: {} as KubeClient, runtime, signal: ending.signal })
    await running.ready
    const own = await surface.routes.get('/metrics/hooks')?.({ method: 'GET', target: '/metrics/hooks', headers: {} })
    ending.abort()
    await running.stop()
    return [surface.moreMetrics(), new TextDecoder().decode(own?.body as Uint8Array)]
  })
}

it('[addons G7] serves hook metrics at /metrics/hooks, and at /metrics when configured', async () => {
  const counted = expect.stringContaining('orders_total{hook="a"} 3\n')
  expect(await metricsWith({ hookMetricsEverywhere: false })).toEqual(['', counted])
  expect(await metricsWith({ hookMetricsEverywhere: true })).toEqual([counted, counted])
})
