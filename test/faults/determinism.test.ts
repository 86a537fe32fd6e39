/**
 * The same number, the same run: a rollout in virtual time with the API server, the controllers, the nodes and the user each in a
 * process of its own, the controllers stopped in the middle and started again, a watch broken, a list answered late.
 */
import { expect, it } from 'vitest'
import { createClient, handlerTransport, type KubeClient, type KubeObject, resources } from '../../src/kube/index.ts'
import { createSimulation, type Domain, type FaultPlan, type Simulation, withFaults } from '../../src/runtime/public.ts'
import { ApiServer, attachNodes, startControllers } from '../../src/sandbox/index.ts'
import { numbersFor, playNumber } from '../replay/numbers.ts'

const numbers = numbersFor(
  'determinism',
  Array.from({ length: 100 }, (_, index) => index + 1),
)
const name = 'web'
const where = { namespace: 'default' }
const replicas = 3

interface Deployment extends KubeObject {
  readonly spec: object
  readonly status?: {
    observedGeneration?: number
    replicas?: number
    updatedReplicas?: number
    availableReplicas?: number
  }
}

const web: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, ...where },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name }, annotations: { 'sandbox.carabiner.dev/ready-delay': '1m' } },
      spec: { containers: [{ name, image: 'web:1' }] },
    },
  },
}

/** Stops the controllers at a write that depends on the number, and disturbs them before. */
function planFor(number: number): FaultPlan {
  const when = number % 2 === 0 ? 'before' : 'after'
  return [
    { kind: 'stop', domain: 'controllers', when, write: 3 + (number % 12) },
    { kind: 'drop', match: { contains: 'pods?watch' }, afterBytes: 2000 },
    { kind: 'delay', match: { contains: 'replicasets?limit' }, milliseconds: 700 },
    { kind: 'answer', match: { method: 'POST', contains: '/pods' }, status: 500 },
  ]
}

function clientOf(domain: Domain, server: ApiServer, simulation: Simulation, plan: FaultPlan = []): KubeClient {
  const handler = domain.connect(withFaults(server.as(), plan, simulation))
  return createClient({ transport: handlerTransport(handler), runtime: domain.runtime })
}

const isDone = ({ metadata, status }: Deployment): boolean =>
  status?.observedGeneration === metadata.generation &&
  [status?.replicas, status?.updatedReplicas, status?.availableReplicas].every((count) => count === replicas)

interface Ending {
  readonly trace: string
  /** What is left in the cluster in the end, without the names and times that chance gave. */
  readonly pods: readonly string[]
  readonly seconds: number
  readonly stopped: boolean
}

async function rollout(number: number): Promise<Ending> {
  const simulation = createSimulation(number)
  return simulation.run(async () => {
    const server = new ApiServer(simulation.domain('api').runtime)
    const nodes = simulation.domain('nodes')
    await attachNodes(clientOf(nodes, server, simulation), nodes.runtime, { leaseSeconds: 3600 }).ready
    const first = simulation.domain('controllers')
    let last = first
    startControllers(clientOf(first, server, simulation, planFor(number)), first.runtime)
    const user = clientOf(simulation.domain('user'), server, simulation)
    const deployments = user.of<Deployment>(resources.deployments)
    const { clock } = simulation.domain('user').runtime
    const rolled = async (): Promise<void> => {
      while (!isDone(await deployments.get(name, where))) {
        await clock.sleep(10_000)
        if (!last.halted) continue
        last = simulation.domain('controllers')
        startControllers(clientOf(last, server, simulation), last.runtime)
      }
    }
    await deployments.create(web)
    await rolled()
    const value = { spec: { template: { spec: { containers: [{ name, image: 'web:2' }] } } } }
    await deployments.patch(name, { type: 'strategic', value }, where)
    await rolled()
    const left = await user.of<KubeObject & { spec: { containers: { image: string }[] } }>(resources.pods).list(where)
    return {
      trace: simulation.trace.text(),
      pods: left.items.map(({ spec }) => spec.containers[0]?.image ?? ''),
      seconds: clock.monotonic() / 1000,
      stopped: first.halted,
    }
  })
}

it('leaves the same trace for the same number, 100 numbers and two runs each, and ends alike wherever it was stopped', async () => {
  const traces = new Set<string>()
  for (const played of numbers) {
    await playNumber('determinism', played, async (number) => {
      const [one, other] = [await rollout(number), await rollout(number)]
      expect(other.trace).toBe(one.trace)
      traces.add(one.trace)
      expect(one.stopped).toBe(true)
      expect(one.pods).toEqual(['web:2', 'web:2', 'web:2'])
      // One start and a rollout of three steps, a minute each.
      expect(one.seconds).toBeGreaterThan(240)
    })
  }
  expect(traces.size).toBe(numbers.length)
}, 300_000)
