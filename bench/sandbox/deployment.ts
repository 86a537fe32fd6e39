/**
 * A Deployment that is rolled in a sandbox, and the wait for it in real or virtual time.
 */
import { createClient, type KubeClient, type KubeObject, resources } from '../../src/kube/index.ts'
import { until } from '../../src/kube/until.ts'
import type { Runtime } from '../../src/runtime/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'

const name = 'web'
const where = { namespace: 'default' }

interface Deployment extends KubeObject {
  readonly spec: object
  readonly status?: {
    observedGeneration?: number
    replicas?: number
    updatedReplicas?: number
    availableReplicas?: number
  }
}

function deployment(replicas: number, readyDelay: string): Deployment {
  const annotations = { 'sandbox.carabiner.dev/ready-delay': readyDelay }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, ...where },
    spec: {
      replicas,
      progressDeadlineSeconds: 86_400,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name }, annotations },
        spec: { containers: [{ name, image: 'web:1' }] },
      },
    },
  }
}

async function rolled(client: KubeClient, runtime: Runtime, replicas: number): Promise<void> {
  const deployments = client.of<Deployment>(resources.deployments)
  const isDone = ({ metadata, status }: Deployment): boolean =>
    status?.observedGeneration === metadata.generation &&
    [status?.replicas, status?.updatedReplicas, status?.availableReplicas].every((count) => count === replicas)
  await until(deployments, runtime, { name, ...where, signal: new AbortController().signal }, isDone)
}

/** Starts a sandbox with a Deployment and calls `measured` with the work of rolling it to a new image. */
export async function rollOut(
  runtime: Runtime,
  replicas: number,
  readyDelay: string,
  measured: (roll: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const sandbox = createSandbox(runtime, { nodes: 10 })
  const client = createClient({ transport: sandbox.transport(), runtime })
  await sandbox.ready
  const deployments = client.of<Deployment>(resources.deployments)
  await deployments.create(deployment(replicas, readyDelay))
  await rolled(client, runtime, replicas)
  await measured(async () => {
    const value = { spec: { template: { spec: { containers: [{ name, image: 'web:2' }] } } } }
    await deployments.patch(name, { type: 'strategic', value }, where)
    await rolled(client, runtime, replicas)
  })
  await sandbox.stop()
}
