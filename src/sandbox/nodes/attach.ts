/**
 * Nodes for a control plane, the sandbox's or a real one that has none: registers them, keeps their leases, runs their pods.
 */
import type { KubeClient } from '../../kube/client/client.ts'
import { resources } from '../../kube/types.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { startController } from '../controllers/loop/controller.ts'
import { Ending } from '../controllers/loop/ending.ts'
import { Informers } from '../controllers/loop/informers.ts'
import type { Recorder } from '../controllers/loop/perform.ts'
import { createRecorder } from '../controllers/loop/recorder.ts'
import type { Pod } from '../kinds/pod.ts'
import type { Engine, LogQuery } from './engine.ts'
import { kubelet } from './kubelet.ts'
import { keepAlive, type NodeSpec, register } from './registration.ts'
import { SimulatedEngine, type SimulateOptions } from './simulate/engine.ts'

export interface NodesOptions {
  /** How many, or which. @default 3 */
  readonly nodes?: number | readonly NodeSpec[]
  readonly simulate?: SimulateOptions
  /** A real control plane misses a node after about 40 seconds. @default 40 */
  readonly leaseSeconds?: number
  /** Caches to share with others of this process. */
  readonly informers?: Informers
}

export interface Nodes {
  /** All nodes are registered and their pods are looked after. */
  readonly ready: Promise<void>
  /** Output of a container of the pod with this uid; undefined when it never ran on one of these nodes. */
  logs(podUid: string, query: LogQuery): AsyncIterable<Uint8Array> | undefined
  /** Resolves when nothing of the nodes is at work any more. */
  stop(): Promise<void>
}

function nodeSpecs(nodes: number | readonly NodeSpec[]): readonly NodeSpec[] {
  if (typeof nodes !== 'number') return nodes
  return Array.from({ length: nodes }, (_, index) => ({ name: `node-${index + 1}`, address: `10.0.0.${index + 1}` }))
}

export function attachNodes(client: KubeClient, runtime: Runtime, options: NodesOptions = {}): Nodes {
  const specs = nodeSpecs(options.nodes ?? 3)
  const informers = options.informers ?? new Informers(client, runtime)
  const pods = informers.of<Pod>(resources.pods)
  const engine: Engine = new SimulatedEngine(runtime.clock, options.simulate)
  const ending = new Ending()
  const recorders = new Map<string, Recorder>()
  const recordOn = (host: string): Recorder => {
    const recorder = recorders.get(host) ?? createRecorder(client, runtime, ending, { component: 'kubelet', host })
    recorders.set(host, recorder)
    return recorder
  }
  const hosts = new Map(specs.map(({ name, address }) => [name, { name, address }]))
  const work: Promise<void>[] = []

  async function start(): Promise<void> {
    await Promise.all(specs.map((spec) => register(client, spec, runtime.clock)))
    const controller = kubelet({ client, pods, runtime, engine, hosts, recordOn })
    work.push(startController(controller, runtime, pods.synced, ending.signal))
    for (const { name } of specs) work.push(keepAlive(client, name, options.leaseSeconds ?? 40, runtime, ending.signal))
    await pods.synced
  }

  if (options.informers === undefined) work.push(informers.run(ending))
  return {
    ready: start(),
    logs: (podUid, query) => engine.logs(podUid, query),
    async stop() {
      ending.reach()
      await Promise.all(work)
    },
  }
}
