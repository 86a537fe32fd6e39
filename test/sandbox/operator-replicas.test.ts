/** Two replicas of the operator in virtual time: both serve the webhook and are ready, one leads. */
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/kube/client/create.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { install } from '../../src/operator/install.ts'
import { type RunningOperator, startOperator } from '../../src/operator/operator.ts'
import { resolveSettings } from '../../src/operator/settings.ts'
import { rolloutsSurface } from '../../src/rollouts/index.ts'
import { createSimulation } from '../../src/runtime/simulated/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'

describe('replicas of the operator', () => {
  it('share the certificate, are ready on standby and take over', async () => {
    const simulation = createSimulation(7)
    await simulation.run(async () => {
      const { runtime } = simulation
      const sandbox = createSandbox(runtime, { nodes: 0 })
      await sandbox.ready
      const client = createClient({ transport: sandbox.transport(), runtime })
      const service = { namespace: 'default', name: 'carabiner', port: 443 }
      const surface = () =>
        rolloutsSurface({
          install: false,
          use: 'webhook',
          issue: () => ({ ca: 'ca', cert: 'cert', key: 'key' }),
          webhook: { listen: { host: '127.0.0.1', port: 0 }, service },
        })
      await install(client, runtime, [surface()], new AbortController().signal)
      const replica = async (identity: string) => {
        const ending = new AbortController()
        const { values: settings } = resolveSettings({ flags: { listenPort: 0, leaseNamespace: 'default' } })
        const options = { runtime, client, settings, surfaces: [surface()], identity }
        return { ending, operator: await startOperator(options, ending.signal) }
      }
      const ready = async ({ port }: RunningOperator) =>
        (
          await runtime.http.request(
            { origin: `http://127.0.0.1:${port}` },
            { method: 'GET', target: '/readyz', headers: {} },
          )
        ).status
      const first = await replica('first')
      await first.operator.ready
      const second = await replica('second')
      expect([await ready(first.operator), await ready(second.operator)]).toEqual([200, 200])
      const secret = await client
        .of<KubeObject & { data: Record<string, string> }>(resources.secrets)
        .get('carabiner-gate', {
          namespace: 'default',
        })
      expect(JSON.parse(atob(secret.data['certificates.json'] ?? ''))).toHaveLength(1)

      first.ending.abort()
      await first.operator.ended
      await second.operator.ready
      expect(await runtime.metrics.render()).toContain('carabiner_rollouts_gate{gate="webhook"} 1')
      second.ending.abort()
      await second.operator.ended
      await sandbox.stop()
    })
  })
})
