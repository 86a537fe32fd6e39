/** Deployers that are killed at a chosen write, and their successors. */
import { deployersSurface } from '../../src/deployers/index.ts'
import type { Deployer } from '../../src/deployers/library/deployer.ts'
import type { Targets } from '../../src/deployers/targets/clients.ts'
import { createClient } from '../../src/kube/client/create.ts'
import { isNotFound } from '../../src/kube/errors.ts'
import type { Transport } from '../../src/kube/transport/transport.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'

export interface Fault {
  /** The number of the write, from 1. */
  readonly at: number
  readonly when: 'before' | 'after'
}

interface Operators {
  readonly openTransport: () => Transport
  readonly createDeployer: (targets: Targets) => Deployer
  /** Called for each write; the result says whether the operator is killed at it. */
  readonly nextFault: () => Fault['when'] | undefined
  readonly signal: AbortSignal
}

/** Runs one operator after the other: when one is killed, the next one starts ten seconds later. */
export async function keepRunning(
  runtime: Runtime,
  { openTransport, createDeployer, nextFault, signal }: Operators,
): Promise<void> {
  while (!signal.aborted) {
    const life = new AbortController()
    const surface = operatorOn(crashingTransport(openTransport(), life, nextFault), createDeployer, runtime)
    const running = await surface.start(AbortSignal.any([signal, life.signal])).catch(() => undefined)
    await running?.stop().catch(() => undefined)
    if (!signal.aborted) await runtime.clock.sleep(10_000)
  }
}

function operatorOn(transport: Transport, make: (targets: Targets) => Deployer, runtime: Runtime) {
  const client = createClient({ transport, runtime })
  const targets: Targets = {
    access: async () => ({ client, namespace: 'default', kubeconfig: undefined }),
    clientFor: async () => client,
    close: async () => {},
  }
  const surface = deployersSurface({
    deployers: () => [{ deployer: make(targets), options: { identity: 'one' } }],
    targetClients: () => targets,
  })
  return { start: (signal: AbortSignal) => surface.start({ client, runtime, signal }) }
}

/** A transport that sends nothing after its operator was killed, and drops the answer to the last request. */
function crashingTransport(inner: Transport, life: AbortController, judge: () => Fault['when'] | undefined): Transport {
  const dead = () => new Error('killed')
  return {
    ...inner,
    async send(request) {
      if (life.signal.aborted) throw dead()
      const isWrite = request.method !== 'GET' && !request.target.includes('/events')
      const end = isWrite ? judge() : undefined
      if (end === 'before') life.abort(dead())
      if (life.signal.aborted) throw dead()
      const answer = await inner.send(request)
      if (end === 'after') life.abort(dead())
      if (life.signal.aborted) throw dead()
      return answer
    },
  }
}

/** Resolves when the object is deleted. */
export async function untilDeleted(get: () => Promise<unknown>, { clock }: Runtime): Promise<void> {
  for (let waited = 0; waited < 900; waited += 1) {
    try {
      await get()
    } catch (error) {
      if (isNotFound(error)) return
      throw error
    }
    await clock.sleep(1000)
  }
  throw new Error('the item still exists')
}
