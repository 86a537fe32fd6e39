/** Starts all controllers of the sandbox in one process, with shared caches and one queue each. */
import type { KubeClient } from '../kube/index.ts'
import type { Runtime } from '../runtime/index.ts'
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

type ControllerFactory = (context: ControllerContext) => Controller

const workloadControllers: readonly ControllerFactory[] = [
  deploymentController,
  replicaSetController,
  statefulSetController,
  daemonSetController,
  jobController,
  orphanedPodController,
  ttlController,
  scheduler,
]

const clusterControllers: readonly ControllerFactory[] = [
  cronJobController,
  volumeController,
  disruptionController,
  endpointSliceController,
  nodeController,
  serviceAccountController,
  namespaceController,
]

export interface ControllersOptions {
  /**
   * The CA of the API server (PEM), published in a ConfigMap of every namespace.
   * @default none
   */
  readonly rootCa?: string
  /**
   * Runs only the controllers of workloads, and limits garbage collection to their kinds. For tests that start many
   * clusters from a prepared state.
   * @default false
   */
  readonly workloadsOnly?: boolean
}

export interface Controllers {
  readonly informers: Informers
  /** Resolves when the caches are filled and the controllers run. */
  readonly ready: Promise<void>
  stop(): Promise<void>
}

function controllerFactories({ workloadsOnly = false, rootCa = '' }: ControllersOptions): readonly ControllerFactory[] {
  if (workloadsOnly) return [...workloadControllers, (context) => garbageCollector(context, 'cached kinds')]
  return [
    ...workloadControllers,
    ...clusterControllers,
    garbageCollector,
    (context) => rootCaPublisher(context, rootCa),
  ]
}

export function startControllers(client: KubeClient, runtime: Runtime, options: ControllersOptions = {}): Controllers {
  const informers = new Informers(client, runtime)
  const shutdown = new Shutdown()
  const all = controllerFactories(options).map((create) => {
    let record: Recorder = () => {}
    const context = { client, informers, runtime, shutdown, record: (event: EventWrite) => record(event) }
    const controller = create(context)
    // The recorder needs the name of the controller, which exists only after its creation.
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
