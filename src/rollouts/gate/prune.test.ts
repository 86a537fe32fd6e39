import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../kube/client/create.ts'
import { createRealRuntime } from '../../runtime/real/index.ts'
import { createSandbox } from '../../sandbox/index.ts'
import { installationLabels } from '../labels.ts'
import { registrations } from './kinds.ts'
import { removeOtherGates } from './prune.ts'

const runtime = createRealRuntime({ log: { level: 'error', format: 'text' } })
const sandbox = createSandbox(runtime, { nodes: 0 })
const webhooks = createClient({ transport: sandbox.transport(), runtime }).of(registrations.webhooks)
beforeAll(() => sandbox.ready)
afterAll(async () => {
  await sandbox.stop()
  await runtime.close()
})

const gate = (name: string) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name, labels: installationLabels },
})

it('keeps other gates until API servers have had time to notice the new one', async () => {
  for (const name of ['new', 'old']) await webhooks.create(gate(name))
  const registered = async () => (await webhooks.list()).items.map(({ metadata }) => metadata.name)
  const moments: unknown[] = []
  const sleep = async (milliseconds: number) => {
    moments.push([milliseconds, await registered()])
  }
  const prune = () => {
    const client = createClient({ transport: sandbox.transport(), runtime })
    const { signal } = new AbortController()
    return removeOtherGates(client, { clock: { ...runtime.clock, sleep } }, [gate('new')], signal)
  }
  expect(await prune()).toEqual([{ kind: 'MutatingWebhookConfiguration', name: 'old' }])
  expect(await prune()).toEqual([])
  expect(moments).toEqual([[3000, ['new', 'old']]])
  expect(await registered()).toEqual(['new'])
})
