/**
 * An API server with the landscaper's resources and deployers in virtual time. All writes of the deployers are
 * recorded; caches, API server and clock are the real ones.
 */
import { HookRunner } from '../../src/deployers/hooks/runner.ts'
import { createCaches } from '../../src/deployers/library/caches.ts'
import { createDeployerController } from '../../src/deployers/library/controller.ts'
import type { Deployer, TargetClients } from '../../src/deployers/library/deployer.ts'
import type { DeployerOptions, DeployerWorld } from '../../src/deployers/library/world.ts'
import { definitions } from '../../src/deployers/resources/definitions.ts'
import {
  apiVersion,
  type DeployItem,
  type DeployItemSpec,
  type DeployItemStatus,
  landscaperResources,
} from '../../src/deployers/resources/types.ts'
import { deployersSurface } from '../../src/deployers/surface.ts'
import type { KubeClient } from '../../src/kube/client/client.ts'
import { createClient } from '../../src/kube/client/create.ts'
import { createEventRecorder } from '../../src/kube/events/recorder.ts'
import { type Event, resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { handlerTransport } from '../../src/kube/transport/handler.ts'
import { until } from '../../src/kube/until.ts'
import { install } from '../../src/operator/install.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'
import { createSimulation, type Simulation } from '../../src/runtime/simulated/index.ts'
import { ApiServer } from '../../src/sandbox/index.ts'

export const namespace = 'default'
export const itemType = 'example.com/thing'

export interface Stage {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly simulation: Simulation
  readonly world: DeployerWorld
  /** Runs the hooks of configuration. */
  readonly hooks: HookRunner
  /** Runs a deployer until the stage ends or the returned function is called. */
  deploy(deployer: Deployer, options?: DeployerOptions): Promise<() => Promise<void>>
  /** Creates an item; without a name it is `thing`. */
  item(spec?: Partial<DeployItemSpec>, metadata?: Partial<KubeObject['metadata']>): Promise<DeployItem>
  target(name: string, metadata?: Partial<KubeObject['metadata']>): Promise<void>
  context(name: string): Promise<void>
  annotate(annotations: Readonly<Record<string, string | null>>, name?: string): Promise<void>
  change(spec: object, name?: string): Promise<void>
  /** Writes the status as another writer would. */
  writeStatus(status: DeployItemStatus, name?: string): Promise<void>
  remove(name?: string): Promise<void>
  get(name?: string): Promise<DeployItem>
  until(holds: (item: DeployItem) => boolean, name?: string): Promise<DeployItem>
  untilPhase(phase: string, name?: string): Promise<DeployItem>
  sleep(seconds: number): Promise<void>
  /** Writes of the deployers since the last call, as `PUT deployitems/thing/status`, without events. */
  writes(): readonly string[]
  reads(): number
  events(): Promise<readonly Event[]>
}

export interface StageOptions {
  readonly seed?: number
  /** Leaves out the Context `default`. */
  readonly withoutContext?: boolean
  readonly targetClients?: TargetClients
}

const noTargets: TargetClients = {
  clientFor: () => Promise.reject(new Error('this stage has no targets')),
  close: () => Promise.resolve(),
}

export async function onStage(play: (stage: Stage) => Promise<void>, options: StageOptions = {}): Promise<void> {
  const simulation = createSimulation(options.seed ?? 1)
  await simulation.run(async () => {
    const { runtime } = simulation
    const server = new ApiServer(runtime)
    const client = createClient({ transport: handlerTransport(server.as()), runtime })
    const ending = new AbortController()
    const surface = { name: 'deployers', resources: definitions, start: () => Promise.reject(new Error('unused')) }
    await install(client, runtime, [surface], ending.signal)
    const counted = new CountingTransport(handlerTransport(server.as()))
    const own = createClient({ transport: counted.transport, runtime })
    const caches = createCaches(own, runtime)
    const events = createEventRecorder(own.of<Event>(resources.events), runtime, {
      controller: 'carabiner.dev/deployers',
      instance: 'test',
      signal: ending.signal,
    })
    const targetClients = options.targetClients ?? noTargets
    const hooks = new HookRunner(own, runtime, ending.signal)
    const world = { client: own, host: own, runtime, caches, events, targetClients, hooks }
    const running: Promise<void>[] = [caches.run(ending.signal)]
    const items = client.of<DeployItem>(landscaperResources.deployItems)
    const create = (type: keyof typeof landscaperResources, object: object) =>
      client
        .of(landscaperResources[type])
        .create({ apiVersion, kind: landscaperResources[type].kind, ...object } as KubeObject)
    const stage: Stage = {
      client,
      runtime,
      simulation,
      world,
      hooks,
      async deploy(deployer, given) {
        const stop = new AbortController()
        const controller = createDeployerController(world, deployer, given)
        running.push(hooks.run())
        const run = controller.run(AbortSignal.any([ending.signal, stop.signal]))
        running.push(run)
        await Promise.all([caches.items.synced, caches.targets.synced, caches.contexts.synced])
        return async () => {
          stop.abort()
          await run
        }
      },
      item: (spec, metadata) =>
        create('deployItems', {
          metadata: { name: 'thing', namespace, ...metadata },
          spec: { type: itemType, ...spec },
        }) as Promise<DeployItem>,
      async target(name, metadata) {
        const spec = { type: 'landscaper.gardener.cloud/kubernetes-cluster', config: {} }
        await create('targets', { metadata: { name, namespace, ...metadata }, spec })
      },
      async context(name) {
        await create('contexts', { metadata: { name, namespace } })
      },
      async annotate(annotations, name = 'thing') {
        await items.patch(name, { type: 'merge', value: { metadata: { annotations } } }, { namespace })
      },
      async change(spec, name = 'thing') {
        await items.patch(name, { type: 'merge', value: { spec } }, { namespace })
      },
      async writeStatus(status, name = 'thing') {
        const value = { status: { observedGeneration: 0, ...status } }
        await items.patch(name, { type: 'merge', value }, { namespace, subresource: 'status' })
      },
      async remove(name = 'thing') {
        await items.delete(name, { namespace })
      },
      get: (name = 'thing') => items.get(name, { namespace }),
      until: (holds, name = 'thing') => until(items, runtime, { name, namespace, signal: ending.signal }, holds),
      untilPhase: (phase, name) => stage.until(({ status }) => status?.phase === phase, name),
      sleep: (seconds) => runtime.clock.sleep(seconds * 1000),
      writes: () => counted.take(),
      reads: () => counted.takeReads(),
      async events() {
        await events.flush()
        return (await client.of(resources.events).list({ namespace })).items
      },
    }
    if (options.withoutContext !== true) await stage.context('default')
    try {
      await play(stage)
    } finally {
      ending.abort()
      await Promise.all(running)
    }
  })
}

/** Like `onStage` with the whole surface running, and a deployer if one is given. */
export async function withSurface<P extends { readonly deployer: Deployer }>(
  player: P | undefined,
  play: (stage: Stage, player: P) => Promise<void>,
): Promise<void> {
  await onStage(
    async (stage) => {
      const surface = deployersSurface({
        deployers: () => (player === undefined ? [] : [{ deployer: player.deployer }]),
        targetClients: () => noTargets,
      })
      const ending = new AbortController()
      const { client, runtime } = stage
      const running = await surface.start({ client, runtime, signal: ending.signal })
      await running.ready
      try {
        await play(stage, player as P)
      } finally {
        ending.abort()
        await running.stop()
      }
    },
    { withoutContext: true },
  )
}

type Transport = ReturnType<typeof handlerTransport>

class CountingTransport {
  readonly transport: Transport
  #writes: string[] = []
  #reads = 0

  constructor(inner: Transport) {
    this.transport = {
      ...inner,
      send: (sent) => {
        this.#count(sent.method, sent.target)
        return inner.send(sent)
      },
    }
  }

  #count(method: string, target: string): void {
    const path = target.split('?', 1)[0] ?? ''
    if (path.includes('/events')) return
    if (method !== 'GET') this.#writes.push(`${method} ${path.replace(/^.*\/namespaces\/[^/]+\//, '')}`)
    else if (!target.includes('watch=')) this.#reads += 1
  }

  take(): readonly string[] {
    const taken = this.#writes
    this.#writes = []
    return taken
  }

  takeReads(): number {
    const taken = this.#reads
    this.#reads = 0
    return taken
  }
}
