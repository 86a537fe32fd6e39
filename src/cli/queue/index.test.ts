import { expect, it } from 'vitest'
import { recordedContext } from '../../../test/cli/context.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { command } from './index.ts'

it('shows control characters of queued tasks instead of obeying them', async () => {
  const simulation = createSimulation(1)
  const { runtime } = simulation
  const { context, written } = recordedContext(runtime)
  await simulation.run(async () => {
    await runtime.http.listen({ socket: '/debug.socket' }, async ({ target }) => ({
      ...{ status: target.startsWith('/queue/') ? 200 : 404, headers: {} },
      body: new TextEncoder().encode('1. hook.sh: failed: \u001b[2Jgone\n'),
    }))
    await command(context).parseAsync(['list', '--debug-unix-socket', '/debug.socket'], { from: 'user' })
  })
  expect(written()).toBe('1. hook.sh: failed: \\u001b[2Jgone\n')
})
