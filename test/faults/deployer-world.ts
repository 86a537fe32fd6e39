/**
 * Deployers and Landscaper controllers as separate processes, which are stopped at chosen writes or get no watch events for a while. The
 * end and the installations on the way are compared with an undisturbed run.
 */
import { type Crash, Engines } from '../../src/cli/rollout/simulation/engines.ts'
import { type Deployer, defineDeployer } from '../../src/deployers/library/deployer.ts'
import { annotations } from '../../src/deployers/resources/annotations.ts'
import { definitions } from '../../src/deployers/resources/definitions.ts'
import {
  apiVersion,
  type DeployItem,
  type DeployItemSpec,
  type Execution,
  landscaperResources,
} from '../../src/deployers/resources/types.ts'
import { deployersSurface } from '../../src/deployers/surface.ts'
import {
  createClient,
  handlerTransport,
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  type KubeObject,
  resources,
} from '../../src/kube/index.ts'
import { until } from '../../src/kube/until.ts'
import { install } from '../../src/operator/install.ts'
import type { HttpHandler } from '../../src/runtime/http.ts'
import { createSimulation } from '../../src/runtime/public.ts'
import { ApiServer } from '../../src/sandbox/index.ts'

const where = { namespace: 'default' }
export const itemType = 'example.com/thing'

export interface Scenario {
  readonly name: string
  /** Changes to a deployer that installs a ConfigMap and removes it. */
  readonly deployer?: (basic: Basic) => Partial<Parameters<typeof defineDeployer>[0]>
  /** The scenario has executions, which only a leader reconciles, so it is not played with two processes at once. */
  readonly isLed?: boolean
  /** The actions of the user. */
  play(user: User): Promise<void>
}

export type Basic = Pick<Deployer, 'reconcile' | 'delete'>

export interface User {
  item(spec?: Partial<DeployItemSpec>, more?: Readonly<Record<string, string>>): Promise<void>
  execution(deployItems: readonly object[]): Promise<void>
  annotate(values: Readonly<Record<string, string>>): Promise<void>
  change(spec: object): Promise<void>
  remove(): Promise<void>
  removeExecution(): Promise<void>
  until(holds: (item: DeployItem) => boolean): Promise<void>
  untilExecution(holds: (execution: Execution) => boolean): Promise<void>
  sleep(seconds: number): Promise<void>
}

/** What must be the same whatever the faults. */
export interface Ending {
  readonly items: readonly object[]
  readonly executions: readonly object[]
  /** The installed objects, with the generation they were installed for. */
  readonly installed: readonly object[]
  /** Every creation and deletion of installed objects, in order. */
  readonly acts: readonly string[]
}

export interface Outcome {
  readonly ending: Ending
  readonly writes: number
  readonly crashes: number
}

export async function playScenario(
  scenario: Scenario,
  seed: number,
  options: { readonly crashes?: readonly Crash[]; readonly engines?: number } = {},
): Promise<Outcome> {
  const simulation = createSimulation(seed, { maxEvents: 100_000 })
  return simulation.run(async () => {
    const { runtime } = simulation
    const server = new ApiServer(runtime)
    const client = createClient({ transport: handlerTransport(server.as()), runtime })
    const ending = new AbortController()
    const unused = () => Promise.reject(new Error('unused'))
    await install(client, runtime, [{ name: 'deployers', resources: definitions, start: unused }], ending.signal)
    await client
      .of(landscaperResources.contexts)
      .create({ apiVersion, kind: 'Context', metadata: { name: 'default', ...where } })
    const acts: string[] = []
    const engines = new Engines(simulation, recording(server.as(), acts), {
      ...options,
      async run(own, world, signal) {
        const targetClients = { clientFor: unused, close: () => Promise.resolve() }
        const surface = deployersSurface({
          targetClients: () => targetClients,
          deployers: () => [{ deployer: deployerOf(scenario), options: { identity: 'one' } }],
        })
        const running = await surface.start({ client: own, runtime: world, signal })
        await running.stop()
      },
    })
    await scenario.play(userOf(client, simulation.clock.sleep.bind(simulation.clock), runtime))
    await simulation.clock.sleep(1_200_000)
    const outcome = { ending: await endingOf(client, acts), writes: engines.writes, crashes: engines.crashes }
    ending.abort()
    await engines.stop()
    return outcome
  })
}

/** Installs a ConfigMap that contains the generation, and accepts an existing one. */
function deployerOf({ deployer }: Scenario): Deployer {
  const basic: Basic = {
    async reconcile({ deployItem, clients }) {
      const { name, generation } = deployItem.metadata
      const maps = clients.landscaper.of(resources.configMaps)
      const data = { generation: String(generation) }
      try {
        await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...where }, data } as KubeObject)
      } catch (error) {
        if (!isAlreadyExists(error)) throw error
        await maps.patch(name, { type: 'merge', value: { data } }, where)
      }
      return undefined
    },
    async delete({ deployItem, clients }) {
      try {
        await clients.landscaper.of(resources.configMaps).delete(deployItem.metadata.name, where)
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
      return undefined
    },
  }
  return defineDeployer({ type: itemType, name: 'things', version: 'v1', ...basic, ...deployer?.(basic) } as Parameters<
    typeof defineDeployer
  >[0])
}

function recording(server: HttpHandler, acts: string[]): HttpHandler {
  return async (request) => {
    const response = await server(request)
    const path = request.target.split('?', 1)[0] ?? ''
    if (path.includes('/configmaps') && response.status < 300) {
      if (request.method === 'POST') acts.push('install')
      if (request.method === 'DELETE') acts.push('remove')
    }
    return response
  }
}

function userOf(
  client: KubeClient,
  sleep: (delay: number) => Promise<void>,
  runtime: Parameters<typeof until>[1],
): User {
  const items = client.of<DeployItem>(landscaperResources.deployItems)
  const executions = client.of<Execution>(landscaperResources.executions)
  const neverAborted = () => new AbortController().signal
  return {
    async item(spec = {}, more = {}) {
      const metadata = { name: 'thing', ...where, annotations: more }
      await items.create({ apiVersion, kind: 'DeployItem', metadata, spec: { type: itemType, ...spec } })
    },
    async execution(deployItems) {
      await executions.create({
        apiVersion,
        kind: 'Execution',
        metadata: { name: 'all', ...where },
        spec: { deployItems },
      } as never)
    },
    async annotate(values) {
      await items.patch('thing', { type: 'merge', value: { metadata: { annotations: values } } }, where)
    },
    async change(spec) {
      await items.patch('thing', { type: 'merge', value: { spec } }, where)
    },
    async remove() {
      await items.delete('thing', where)
    },
    async removeExecution() {
      await executions.delete('all', where)
    },
    async until(holds) {
      await until(items, runtime, { name: 'thing', ...where, signal: neverAborted() }, holds)
    },
    async untilExecution(holds) {
      await until(executions, runtime, { name: 'all', ...where, signal: neverAborted() }, holds)
    },
    sleep: (seconds) => sleep(seconds * 1000),
  }
}

async function endingOf(client: KubeClient, acts: readonly string[]): Promise<Ending> {
  const list = async <T extends KubeObject>(type: Parameters<KubeClient['of']>[0]) =>
    (await client.of<T>(type).list(where)).items
  const maps = (await list<KubeObject & { data?: object }>(resources.configMaps)).filter(
    ({ metadata }) => metadata.name !== 'kube-root-ca.crt',
  )
  return {
    items: (await list<DeployItem>(landscaperResources.deployItems)).map(comparable),
    executions: (await list<Execution>(landscaperResources.executions)).map(comparable),
    installed: maps.map(({ metadata, data }) => ({ name: nameless(metadata.name), ...data })),
    acts,
  }
}

/** The object without times and random names. */
function comparable({ metadata, spec, status }: DeployItem | Execution): object {
  const { lastError, ...rest } = (status ?? {}) as DeployItem['status'] & object
  const { lastReconcileTime: _, ...others } = rest as { lastReconcileTime?: string }
  const { [annotations.dependsOn]: dependsOn, ...otherAnnotations } = metadata.annotations ?? {}
  return JSON.parse(
    JSON.stringify({
      name: nameless(metadata.name),
      finalizers: metadata.finalizers,
      annotations: Object.keys(otherAnnotations).length === 0 ? undefined : otherAnnotations,
      dependsOn,
      isDeleted: metadata.deletionTimestamp !== undefined,
      spec,
      status: others,
      ...(lastError === undefined
        ? {}
        : { reason: lastError.reason, codes: lastError.codes, message: lastError.message }),
    }).replace(/-[0-9a-f]{5}"/g, '"'),
  ) as object
}

const nameless = (name: string) => name.replace(/-[0-9a-f]{5}$/, '')
