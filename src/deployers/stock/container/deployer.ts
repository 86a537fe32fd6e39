/**
 * The container deployer: each run is one pod on the host cluster, and the run ends when the pod ends. The pod's name is derived from the
 * run, so a later call, also after a crash, finds it instead of starting another.
 */
import { objectName } from '../../../hooks/index.ts'
import { isNotFound, secondTime } from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import { ownerOf } from '../../apply/owner.ts'
import { type DeployContext, type Deployer, defineDeployer, type Outcome } from '../../library/deployer.ts'
import { runIdOf } from '../../library/run-id.ts'
import { registryConfiguration } from '../configuration/registries.ts'
import { stockHooks } from '../hooks.ts'
import { type ContainerSettings, containerGroup, decodeContainer } from './configuration.ts'
import { createIfAbsent, createInput, createWaitRights, deleteObjects, type RunObjects } from './objects.ts'
import { type Observed, observe, type Pod, podStatus } from './observed.ts'
import type { Operation } from './paths.ts'
import { inputSecretName, podFor, pullSecretName, resultSecretName } from './pod.ts'
import { readRecord, writeRecord } from './record.ts'
import { type Result, readResult } from './result.ts'

export const containerType = 'landscaper.gardener.cloud/container'
const forceCleanup = `${containerGroup}/force-cleanup`

const pollMs = 2_000

export function containerDeployer(settings: ContainerSettings = {}): Deployer {
  return defineDeployer({
    type: containerType,
    name: containerGroup,
    hooks: stockHooks(),
    reconcile: (context) => run(context, settings, 'RECONCILE'),
    async delete(context) {
      const { metadata, status } = context.deployItem
      const started = status.providerStatus !== undefined
      if (started && metadata.annotations?.[forceCleanup] !== 'true') {
        const outcome = await run(context, settings, 'DELETE')
        if (outcome?.unfinished === true || status.phase === 'Failed') return outcome
      }
      await deleteEverything(context, settings)
      return undefined
    },
    async abort(context) {
      for (const operation of ['RECONCILE', 'DELETE'] as const) {
        const objects = objectsOf(context, settings, operation)
        await deleteObjects(objects.client, resources.pods, objects, [objects.run])
      }
      return undefined
    },
  })
}

/** Starts the pod of the run, or observes it and finishes the run when the pod has ended. */
async function run(
  context: DeployContext,
  settings: ContainerSettings,
  operation: Operation,
): Promise<Outcome | undefined> {
  const objects = objectsOf(context, settings, operation)
  const { status } = context.deployItem
  const before = readRecord(status.providerStatus)
  if (before.finished === objects.run) return cleanUp(objects, [objects.run], settings)
  const pod = await findPod(objects)
  if (pod === undefined) {
    if (before.podName !== undefined) await deleteObjects(objects.client, resources.pods, objects, [before.podName])
    const started = { podName: objects.run, lastRun: secondTime(context.clock.now()) }
    writeRecord(context, { operation, pod: started, state: before.state })
    await context.persist()
    await start(context, settings, objects, { operation, state: before.state })
    return { unfinished: true, requeueAfterMs: pollMs }
  }
  const seen = observe(pod)
  const podRecord = podStatus(pod, pod.metadata.creationTimestamp ?? '')
  writeRecord(context, { operation, pod: podRecord, state: before.state })
  if (seen.state === 'running') return { unfinished: true, requeueAfterMs: pollMs }
  const result = await readResult(objects)
  const state = result?.chunks ?? before.state
  writeRecord(context, { operation, pod: podRecord, state })
  const failure = failureOf(seen, result)
  if (failure !== undefined) {
    failItem(context, failure)
    // A pod that has not started must not start after the run has failed; one that has ended is kept for debugging.
    return cleanUp(objects, failure.hasStarted ? [] : [objects.run], settings)
  }
  if (result?.values !== undefined) await context.exports(result.values)
  // Write the end of the run before deleting its pod, which is the only other trace of it.
  writeRecord(context, { operation, pod: podRecord, state, finished: objects.run })
  await context.persist()
  await deleteObjects(
    objects.client,
    resources.secrets,
    objects,
    before.state.filter((one) => !state.includes(one)),
  )
  return cleanUp(objects, [objects.run], settings)
}

async function cleanUp(objects: RunObjects, pods: readonly string[], settings: ContainerSettings): Promise<undefined> {
  const { client, run: name } = objects
  await deleteObjects(client, resources.secrets, objects, [
    inputSecretName(name),
    pullSecretName(name),
    resultSecretName(name),
  ])
  if (settings.keepPods !== true) await deleteObjects(client, resources.pods, objects, pods)
}

async function start(
  context: DeployContext,
  settings: ContainerSettings,
  objects: RunObjects,
  { operation, state }: { readonly operation: Operation; readonly state: readonly string[] },
): Promise<void> {
  const { client, run: name, namespace, labels, signal } = objects
  const config = decodeContainer(context.config)
  const registries = await registryConfiguration(context)
  await createInput(objects, context.config, config, registries)
  await createWaitRights(objects)
  const hasPullSecret = registries !== undefined
  const pod = podFor({ name, namespace, labels, operation, config, settings, state, hasPullSecret })
  await createIfAbsent(client, resources.pods, { ...pod }, signal)
}

interface RunFailure {
  readonly reason: string
  readonly message: string
  readonly hasStarted: boolean
}

function failureOf(seen: Observed, result: Result | undefined): RunFailure | undefined {
  if (seen.state === 'failed') return seen
  if (result?.problem === undefined) return undefined
  return { reason: 'ResultInvalid', message: result.problem, hasStarted: true }
}

/** A failed pod fails the item at once, because a repeated run would find the same pod. */
function failItem({ deployItem: { status }, clock }: DeployContext, { reason, message }: RunFailure): void {
  const time = secondTime(clock.now())
  status.phase = 'Failed'
  status.lastError = { operation: 'RunContainer', reason, message, lastTransitionTime: time, lastUpdateTime: time }
}

async function findPod({ client, run: name, namespace, signal }: RunObjects): Promise<Pod | undefined> {
  try {
    return await client.of<Pod>(resources.pods).get(name, { namespace, signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Deletes everything the item has left on the host cluster. */
async function deleteEverything(context: DeployContext, settings: ContainerSettings): Promise<void> {
  const objects = objectsOf(context, settings, 'DELETE')
  const { state, podName } = readRecord(context.deployItem.status.providerStatus)
  await deleteObjects(objects.client, resources.secrets, objects, state)
  await deleteObjects(objects.client, resources.pods, objects, podName === undefined ? [] : [podName])
}

function objectsOf(context: DeployContext, settings: ContainerSettings, operation: Operation): RunObjects {
  const { namespace = '', name } = context.deployItem.metadata
  const { label, value } = ownerOf(`${containerGroup}/deployitem`, { namespace, name })
  return {
    client: context.clients.host,
    run: runName(context, operation),
    namespace: settings.namespace ?? namespace,
    labels: { [label]: value },
    signal: context.signal,
  }
}

function runName({ deployItem }: DeployContext, operation: Operation): string {
  const { namespace = '', name, uid = '' } = deployItem.metadata
  return objectName({
    surface: 'deployers',
    subject: { kind: 'DeployItem', namespace, name, uid },
    lifecycle: runIdOf(deployItem),
    point: operation,
    hook: operation.toLowerCase(),
    attempt: 1,
  })
}
