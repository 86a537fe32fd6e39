import { expect, it } from 'vitest'
import { createClient } from '../../kube/client/create.ts'
import { handlerTransport } from '../../kube/transport/handler.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { writePod } from './logs.ts'

it('shows control characters that a container printed instead of obeying them', async () => {
  const simulation = createSimulation(1)
  const { runtime } = simulation
  const printed = handlerTransport(async () => ({
    ...{ status: 200, headers: {} },
    body: new TextEncoder().encode('one\u001b[2J\ntwo\n'),
  }))
  const place = { client: createClient({ transport: printed, runtime }), namespace: 'shop' }
  let text = ''
  const write = (more: string) => {
    text += more
  }
  const { signal } = new AbortController()
  await simulation.run(() => writePod({ stdout: { write, isTerminal: true, columns: 80 }, signal }, place, 'cart'))
  expect(text).toBe('\n--> pod cart\none\\u001b[2J\ntwo\n')
})
