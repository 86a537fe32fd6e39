import { expect, it } from 'vitest'
import type { KubeClient } from '../../kube/client/client.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { HttpExecutor } from './http-executor.ts'

const run = {
  surface: 'rollouts',
  subject: { kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'w' },
  ...{ lifecycle: 'r', point: '0', hook: 'tell', attempt: 1 },
}

it('fails a run whose URL cannot be parsed', async () => {
  const simulation = createSimulation(1)
  const calls = new HttpExecutor({} as KubeClient, simulation.runtime, new AbortController().signal)
  await simulation.run(
    () => new Promise<void>((ended) => void calls.start(run, { url: 'http://a b/', body: '' }, ended)),
  )
  expect(calls.observe(run)).toMatchObject({
    ...{ state: 'failed', reason: 'CallFailed' },
    message: 'no address: the url cannot be called',
  })
})
