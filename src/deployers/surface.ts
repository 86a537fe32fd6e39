/** The operator surface of the deployers: the configured deployers, and the Landscaper controllers for their items. */
import { Journal, Recorder, type RunMemory } from '../hooks/index.ts'
import { BackgroundQueue, createEventRecorder, type KubeClient } from '../kube/index.ts'
import { resources } from '../kube/kinds/index.ts'
import type { HttpHandler, HttpResponse, Runtime } from '../runtime/index.ts'
import { type AccessRule, hookRules, jobHookRules, landscaperRules, libraryRules, sumOfRules } from './access.ts'
import { type DefaultContext, runContexts } from './contexts/controller.ts'
import { runExecutions } from './executions/controller.ts'
import { HookRunner } from './hooks/runner.ts'
import { createCaches } from './library/caches.ts'
import { createDeployerController, type DeployerDescription } from './library/controller.ts'
import type { Deployer, TargetClients } from './library/deployer.ts'
import type { DeployerOptions, DeployerWorld } from './library/world.ts'
import { definitions } from './resources/definitions.ts'
import { apiVersion, landscaperResources } from './resources/types.ts'
import { stockRules } from './stock/rights.ts'
import { runTargets } from './targets/controller.ts'
import { runTimeouts } from './timeouts/controller.ts'
import { defaultTimeouts, type Timeouts } from './timeouts/decide.ts'

export interface RunningDeployer {
  readonly deployer: Deployer
  readonly options?: DeployerOptions
}

export interface DeployersSurfaceOptions<Targets extends TargetClients = TargetClients> {
  /** The deployers to run; created at every start, because a start freezes their hooks. */
  readonly deployers: (
    runtime: Runtime,
    targets: Targets,
    client: KubeClient,
    hooks: HookRunner,
  ) => readonly RunningDeployer[]
  readonly targetClients: (runtime: Runtime) => Targets
  /** The cluster the deployers run in. @default the cluster of the deploy items */
  readonly host?: KubeClient
  /** Runs the controllers of executions, timeouts and default Contexts; false where a real Landscaper runs. @default true */
  readonly landscaper?: boolean
  /** @default 5, 5 and 10 minutes */
  readonly timeouts?: Partial<Timeouts>
  readonly defaultContext?: DefaultContext
  /** What the deployers and their hooks need on the cluster of the items, for the installation. @default what every stock deployer and hook needs */
  readonly rules?: readonly AccessRule[]
}

interface SurfaceContext {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly signal: AbortSignal
  /** The latest runs of every surface of this process. @default a memory of its own */
  readonly runs?: RunMemory
}

/** The answer of `GET /deployers/`. */
export interface RunningDeployers {
  readonly timeouts: Timeouts
  readonly deployers: readonly DeployerDescription[]
}

export function deployersSurface<Targets extends TargetClients>(options: DeployersSurfaceOptions<Targets>) {
  const timeouts: Timeouts = { ...defaultTimeouts, ...options.timeouts }
  let deployers: readonly DeployerDescription[] | undefined
  const handler: HttpHandler = () =>
    Promise.resolve(answer(deployers === undefined ? undefined : { timeouts, deployers }))
  return {
    name: 'deployers',
    handler,
    resources: definitions,
    installation: () => ({ rules: rulesOf(options), ownRules: [], objects: [] }),
    async start(context: SurfaceContext) {
      const { client, runtime } = context
      // Fail at the start when the CustomResourceDefinitions are missing, because no watch would ever succeed.
      await client.find(apiVersion, landscaperResources.deployItems.kind)
      const targetClients = options.targetClients(runtime)
      const { ready, ended, descriptions } = run(options, context, targetClients, timeouts)
      deployers = descriptions
      const stop = async () => {
        deployers = undefined
        try {
          await ended
        } finally {
          await targetClients.close()
        }
      }
      return { ready, stop }
    },
  }
}

function rulesOf({ rules = everyRule, landscaper = true }: Pick<DeployersSurfaceOptions, 'rules' | 'landscaper'>) {
  return sumOfRules([...libraryRules, ...(landscaper ? landscaperRules : []), ...rules])
}

const everyRule = [...Object.values(stockRules).flat(), ...hookRules, ...jobHookRules]

/** How long the end waits for the journal to be written. */
const journalCloseMs = 2_000

function run<Targets extends TargetClients>(
  options: DeployersSurfaceOptions<Targets>,
  context: SurfaceContext,
  targetClients: Targets,
  timeouts: Timeouts,
) {
  const { client, runtime, signal, runs } = context
  const caches = createCaches(client, runtime)
  const events = createEventRecorder(client.of(resources.events), runtime, {
    controller: 'carabiner.dev/deployers',
    instance: 'carabiner',
    signal,
  })
  const closing = new AbortController()
  const background = new BackgroundQueue(runtime.clock)
  const journal = new Journal(client, runtime, { background, signal: closing.signal })
  const recorder = new Recorder(runtime, { memory: runs, journal })
  const hooks = new HookRunner(client, runtime, signal, recorder)
  const world: DeployerWorld = { client, host: options.host ?? client, runtime, caches, events, targetClients, hooks }
  const controllers = options
    .deployers(runtime, targetClients, client, hooks)
    .map(({ deployer, options: own }) =>
      createDeployerController(world, deployer, { progressingMs: timeouts.progressingDefault, ...own }),
    )
  const dependencies = { client, runtime, caches, signal }
  const landscaper = [
    () => runTimeouts(dependencies, timeouts),
    () => runExecutions(dependencies, events),
    () => runContexts(dependencies, options.defaultContext ?? {}),
  ]
  const ended = Promise.all([
    caches.run(signal),
    hooks.run(),
    ...controllers.map((controller) => controller.run(signal)),
    runTargets(dependencies),
    ...(options.landscaper === false ? [] : landscaper).map((start) => start()),
  ]).then(async () => {
    background.drain()
    const timeout = runtime.clock.after(journalCloseMs, () => closing.abort())
    await recorder.close()
    timeout.cancel()
  })
  const { items, targets, contexts, executions } = caches
  const ready = Promise.all([items, targets, contexts, executions].map(({ synced }) => synced)).then(() => undefined)
  return { ready, ended, descriptions: controllers.map(({ description }) => description) }
}

/** Only the leader runs deployers. */
function answer(running: RunningDeployers | undefined): HttpResponse {
  const body = running ?? { message: 'this replica is not the leader' }
  return {
    status: running === undefined ? 503 : 200,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(`${JSON.stringify(body)}\n`),
  }
}
