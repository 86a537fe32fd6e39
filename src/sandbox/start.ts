/**
 * All controllers of the sandbox, as one process runs them: shared caches, one queue each.
 */
import type { KubeClient } from '../kube/client/client.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { cronJobController } from './controllers/cronjob/controller.ts'
import { daemonSetController } from './controllers/daemonset/controller.ts'
import type { EventWrite } from './controllers/decisions/decision.ts'
import { deploymentController } from './controllers/deployment/controller.ts'
import { disruptionController } from './controllers/disruption/controller.ts'
import { endpointSliceController } from './controllers/endpoints/controller.ts'
import { garbageCollector } from './controllers/garbage/controller.ts'
import { jobController } from './controllers/job/controller.ts'
import { orphanedPodController } from './controllers/job/orphans.ts'
import { ttlController } from './controllers/job/ttl.ts'
import { type Controller, type ControllerContext, startController } from './controllers/loop/controller.ts'
import { Informers } from './controllers/loop/informers.ts'
import type { Recorder } from './controllers/loop/perform.ts'
import { createRecorder } from './controllers/loop/recorder.ts'
import { Shutdown } from './controllers/loop/shutdown.ts'
import { namespaceController } from './controllers/namespace/controller.ts'
import { nodeController } from './controllers/node/controller.ts'
import { replicaSetController } from './controllers/replicaset/controller.ts'
import { rootCaPublisher, serviceAccountController } from './controllers/serviceaccount/controller.ts'
import { statefulSetController } from './controllers/statefulset/controller.ts'
import { volumeController } from './controllers/volumes/controller.ts'
import { scheduler } from './scheduler/scheduler.ts'

type Creation = (context: ControllerContext) => Controller

const ofWorkloads: readonly Creation[] = [
  deploymentController,
  replicaSetController,
  statefulSetController,
  daemonSetController,
  jobController,
  orphanedPodController,
  ttlController,
  scheduler,
]

const ofClusters: readonly Creation[] = [
  cronJobController,
  volumeController,
  disruptionController,
  endpointSliceController,
  nodeController,
  serviceAccountController,
  namespaceController,
]

export interface ControllersOptions {
  /** The API server's certificate authority, as PEM text, for the ConfigMap every namespace has of it. @default none */
  readonly rootCa?: string
  /**
   * Only what moves workloads runs, and garbage is looked for among their kinds alone. For many short lives of a cluster that was set up
   * before. @default false
   */
  readonly workloadsOnly?: boolean
}

export interface Controllers {
  readonly informers: Informers
  /** The caches are filled and every controller is at work. */
  readonly ready: Promise<void>
  stop(): Promise<void>
}

function creations({ workloadsOnly = false, rootCa = '' }: ControllersOptions): readonly Creation[] {
  if (workloadsOnly) return [...ofWorkloads, (context) => garbageCollector(context, 'cached kinds')]
  return [...ofWorkloads, ...ofClusters, garbageCollector, (context) => rootCaPublisher(context, rootCa)]
}

export function startControllers(client: KubeClient, runtime: Runtime, options: ControllersOptions = {}): Controllers {
  const informers = new Informers(client, runtime)
  const shutdown = new Shutdown()
  const all = creations(options).map((create) => {
    let record: Recorder = () => {}
    const context = { client, informers, runtime, shutdown, record: (event: EventWrite) => record(event) }
    const controller = create(context)
    // Events carry the controller's name, which only the controller knows.
    record = createRecorder(client, runtime, shutdown, { component: controller.component ?? controller.name })
    return controller
  })
  const ready = informers.synced()
  const work = all.map((controller) => startController(controller, runtime, ready, shutdown.signal))
  work.push(informers.run(shutdown))
  return {
    informers,
    ready,
    async stop() {
      shutdown.trigger()
      await Promise.all(work)
    },
  }
}
