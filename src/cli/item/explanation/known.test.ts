import { expect, it } from 'vitest'
import type { KubeClient } from '../../../kube/client/client.ts'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import { knownBy } from './known.ts'

it.each(['<html>Please log in</html>', '[]', '{"deployers": {}}'])(
  'something that is no operator answers %s',
  (text) => {
    const simulation = createSimulation(1)
    return simulation.run(async () => {
      const { runtime } = simulation
      const answer = { status: 200, headers: {}, body: new TextEncoder().encode(text) }
      const { port } = await runtime.http.listen({ host: '127.0.0.1', port: 0 }, async () => answer)
      const operator = `http://127.0.0.1:${port}`
      const world = { runtime, signal: new AbortController().signal }
      await expect(knownBy(world, { operator }, { client: {} as KubeClient, namespace: 'shop' })).rejects.toMatchObject(
        {
          code: 'CRB_OPERATOR_NOT_FOUND',
          message: `${operator} is answered by something that is no operator`,
        },
      )
    })
  },
)
