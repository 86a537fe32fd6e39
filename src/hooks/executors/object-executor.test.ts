import { expect, it } from 'vitest'
import { createClient } from '../../kube/client/create.ts'
import { handlerTransport } from '../../kube/transport/handler.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { objectName, type Run } from '../run/index.ts'
import { ObjectExecutor } from './object-executor.ts'

const run: Run = {
  surface: 'rollouts',
  subject: { kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'w' },
  ...{ lifecycle: '1', point: '0', hook: 'migrate', attempt: 1 },
}
const job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: objectName(run), namespace: 'shop', uid: 'j' },
}
const json = (value: object, status: number) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: new TextEncoder().encode(JSON.stringify(value)),
})

it('waits for the second deletion of an object whose first deletion in the background failed', async () => {
  const simulation = createSimulation(1)
  await simulation.run(async () => {
    const { runtime } = simulation
    let deletions = 0
    const transport = handlerTransport(async ({ method }) => {
      if (method !== 'DELETE') return json(job, 201)
      deletions += 1
      return json({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'not yours' }, 403)
    })
    const staying: string[] = []
    const beforeDelete = {
      saveLogs: async () => undefined,
      onDeleteFailed: ({ name }: { name: string }) => void staying.push(name),
    }
    const atOnce = (work: () => Promise<void>) => work()
    const client = createClient({ transport, runtime })
    const hooks = new ObjectExecutor({
      ...{ client, runtime, caches: [], beforeDelete, cleanup: { background: atOnce, whenIdle: atOnce } },
      signal: new AbortController().signal,
    })
    await hooks.start(run, { object: job })
    await hooks.retire(run)
    await runtime.clock.sleep(1)
    expect(staying).toEqual([objectName(run)])
    await expect(hooks.retire(run)).rejects.toThrow('not yours')
    expect([deletions, staying.length]).toEqual([2, 1])
  })
})
