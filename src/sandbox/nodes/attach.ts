/**
 * Attaches nodes to a control plane, the sandbox's or a real one without nodes: registers them, renews their leases,
 * runs their pods.
 */
import type { KubeClient } from '../../kube/index.ts'
import { type Pod, resources } from '../../kube/kinds/index.ts'
import type { HttpListener, Runtime } from '../../runtime/index.ts'
import { startController } from '../controllers/loop/controller.ts'
import { Informers } from '../controllers/loop/informers.ts'
import type { Recorder } from '../controllers/loop/perform.ts'
import { createRecorder } from '../controllers/loop/recorder.ts'
import { Shutdown } from '../controllers/loop/shutdown.ts'
import { CheckedEngine } from './checked-engine.ts'
import { type EndpointOptions, openEndpoint } from './endpoint.ts'
import type { LogQuery } from './engine.ts'
import { kubelet } from './kubelet.ts'
import { Environment } from './pod/environment.ts'
import { References } from './pod/references.ts'
import { ProcessEngine } from './process/engine.ts'
import { type NodeSpec, register, renewLease } from './registration.ts'
import { SimulatedEngine, type SimulateOptions } from './simulate/engine.ts'

export interface NodesOptions {
  /**
   * Number of nodes, or their specs.
   * @default 3
   */
  readonly nodes?: number | readonly NodeSpec[]
  /**
   * `process` runs the commands of containers on this machine; `simulate` runs no processes.
   * @default simulate
   */
  readonly nodeMode?: 'simulate' | 'process'
  /** Behaviour of simulated containers. */
  readonly simulate?: SimulateOptions
  /**
   * Lease duration. A real control plane marks a node unreachable about 40 seconds after the last renewal.
   * @default 40
   */
  readonly leaseSeconds?: number
  /**
   * Whether nodes record events about their pods, as kubelets do.
   * @default true
   */
  readonly events?: boolean
  /**
   * The address at which nodes serve logs to the API server.
   * @default none
   */
  readonly endpoint?: EndpointOptions
  /**
   * Whether containers that ran according to the status of their pod have ended, as after a crash of the nodes; otherwise they are started as
   * if they had never run.
   * @default false
   */
  readonly areContainersLost?: boolean
  /** Caches shared with other components of this process. */
  readonly informers?: Informers
}

export interface Nodes {
  /** Resolves when all nodes are registered and their pods are watched. */
  readonly ready: Promise<void>
  /** Output of a container of the pod with this uid; undefined when it never ran on these nodes. */
  logs(podUid: string, query: LogQuery): AsyncIterable<Uint8Array> | undefined
  /** Kills all containers; resolves when the nodes have stopped. */
  stop(): Promise<void>
}

function nodeSpecs(nodes: number | readonly NodeSpec[], address: string | undefined): readonly NodeSpec[] {
  if (typeof nodes !== 'number') return nodes
  return Array.from({ length: nodes }, (_, index) => ({
    name: `node-${index + 1}`,
    address: address ?? `10.0.0.${index + 1}`,
  }))
}

export function attachNodes(client: KubeClient, runtime: Runtime, options: NodesOptions = {}): Nodes {
  const { endpoint } = options
  const specs = nodeSpecs(options.nodes ?? 3, endpoint?.host)
  // Like a kubelet, watch only pods that are bound to a node.
  const informers = options.informers ?? new Informers(client, runtime, 'spec.nodeName!=')
  const pods = informers.of<Pod>(resources.pods)
  const references = new References(client)
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = runtime.env as Record<string, string | undefined>
  const environment = new Environment(references, { PATH })
  const simulated = new CheckedEngine(new SimulatedEngine(runtime.clock, options.simulate), environment)
  const engine = options.nodeMode === 'process' ? new ProcessEngine(environment, runtime, simulated) : simulated
  const shutdown = new Shutdown()
  const recorders = new Map<string, Recorder>()
  const recordOn = (host: string): Recorder => {
    if (options.events === false) return () => undefined
    const recorder = recorders.get(host) ?? createRecorder(client, runtime, shutdown, { component: 'kubelet', host })
    recorders.set(host, recorder)
    return recorder
  }
  const hosts = new Map(specs.map(({ name, address }) => [name, { name, address }]))
  const { controller, killAll } = kubelet({
    client,
    pods,
    runtime,
    engine,
    references,
    hosts,
    recordOn,
    areContainersLost: options.areContainersLost ?? false,
  })
  const work: Promise<void>[] = []
  let listener: HttpListener | undefined

  async function start(): Promise<void> {
    if (endpoint !== undefined) {
      listener = await openEndpoint(runtime, endpoint, (namespace, name, query) =>
        engine.logs(pods.get(`${namespace}/${name}`)?.metadata.uid ?? '', query),
      )
    }
    const port = listener === undefined ? {} : { port: listener.port }
    await Promise.all(specs.map((spec) => register(client, { ...port, ...spec }, runtime.clock)))
    work.push(startController(controller, runtime, pods.synced, shutdown.signal))
    for (const { name } of specs)
      work.push(renewLease(client, { name, leaseSeconds: options.leaseSeconds ?? 40 }, runtime, shutdown.signal))
    await pods.synced
  }

  if (options.informers === undefined) work.push(informers.run(shutdown))
  return {
    ready: start(),
    logs: (podUid, query) => engine.logs(podUid, query),
    async stop() {
      shutdown.trigger()
      await Promise.all([...work, listener?.close()])
      await killAll()
      await engine.stop()
    },
  }
}
