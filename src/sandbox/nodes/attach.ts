/**
 * Nodes for a control plane, the sandbox's or a real one that has none: registers them, keeps their leases, runs their pods.
 */
import type { KubeClient } from '../../kube/client/client.ts'
import { resources } from '../../kube/types.ts'
import type { HttpListener } from '../../runtime/http.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { startController } from '../controllers/loop/controller.ts'
import { Informers } from '../controllers/loop/informers.ts'
import type { Recorder } from '../controllers/loop/perform.ts'
import { createRecorder } from '../controllers/loop/recorder.ts'
import { Shutdown } from '../controllers/loop/shutdown.ts'
import type { Pod } from '../kinds/pod.ts'
import { type EndpointOptions, openEndpoint } from './endpoint.ts'
import type { LogQuery } from './engine.ts'
import { kubelet } from './kubelet.ts'
import { ProcessEngine } from './process/engine.ts'
import { keepAlive, type NodeSpec, register } from './registration.ts'
import { SimulatedEngine, type SimulateOptions } from './simulate/engine.ts'

export interface NodesOptions {
  /** How many, or which. @default 3 */
  readonly nodes?: number | readonly NodeSpec[]
  /** `process` runs commands of containers on this machine; `simulate` runs nothing. @default simulate */
  readonly nodeMode?: 'simulate' | 'process'
  /** How pretended containers behave. */
  readonly simulate?: SimulateOptions
  /** A real control plane misses a node after about 40 seconds. @default 40 */
  readonly leaseSeconds?: number
  /** Whether they write events about their pods, as kubelets do. @default true */
  readonly events?: boolean
  /** Where nodes answer an API server that asks for logs. @default nowhere */
  readonly endpoint?: EndpointOptions
  /** Caches to share with others of this process. */
  readonly informers?: Informers
}

export interface Nodes {
  /** All nodes are registered and their pods are looked after. */
  readonly ready: Promise<void>
  /** Output of a container of the pod with this uid; undefined when it never ran on one of these nodes. */
  logs(podUid: string, query: LogQuery): AsyncIterable<Uint8Array> | undefined
  /** Containers end at once; resolves when nothing of the nodes is at work any more. */
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
  // As a kubelet does: a pod without a node is nobody's yet.
  const informers = options.informers ?? new Informers(client, runtime, 'spec.nodeName!=')
  const pods = informers.of<Pod>(resources.pods)
  const pretend = new SimulatedEngine(runtime.clock, options.simulate)
  const engine = options.nodeMode === 'process' ? new ProcessEngine(client, runtime, pretend) : pretend
  const shutdown = new Shutdown()
  const recorders = new Map<string, Recorder>()
  const recordOn = (host: string): Recorder => {
    if (options.events === false) return () => undefined
    const recorder = recorders.get(host) ?? createRecorder(client, runtime, shutdown, { component: 'kubelet', host })
    recorders.set(host, recorder)
    return recorder
  }
  const hosts = new Map(specs.map(({ name, address }) => [name, { name, address }]))
  const { controller, abandon } = kubelet({ client, pods, runtime, engine, hosts, recordOn })
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
      work.push(keepAlive(client, name, options.leaseSeconds ?? 40, runtime, shutdown.signal))
    await pods.synced
  }

  if (options.informers === undefined) work.push(informers.run(shutdown))
  return {
    ready: start(),
    logs: (podUid, query) => engine.logs(podUid, query),
    async stop() {
      shutdown.trigger()
      await Promise.all([...work, listener?.close()])
      await abandon()
    },
  }
}
