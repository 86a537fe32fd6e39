/**
 * The container deployer: one pod per run on the host cluster does the work, and its end is the end of the run. The name of the pod is
 * that of the run, so that a second look, also after a crash, finds it instead of starting another.
 */
import { objectName } from '../../../hooks/index.ts'
import { isNotFound } from '../../../kube/errors.ts'
import { secondTime } from '../../../kube/time.ts'
import { resources } from '../../../kube/types.ts'
import { ownerOf } from '../../apply/owner.ts'
import { type DeployContext, type Deployer, defineDeployer, type Outcome } from '../../library/deployer.ts'
import { runIdOf } from '../../library/run-id.ts'
import { registryConfiguration } from '../configuration/registries.ts'
import { stockHooks } from '../hooks.ts'
import { type ContainerSettings, containerGroup, decodeContainer } from './configuration.ts'
import { createInput, discard, ensure, grantWait, type RunObjects } from './objects.ts'
import { type Observed, observe, type Pod, podStatus } from './observed.ts'
import type { Operation } from './paths.ts'
import { inputOf, podFor, pullSecretOf, resultOf } from './pod.ts'
import { record, recorded } from './record.ts'
import { type Result, readResult } from './result.ts'

export const containerType = 'landscaper.gardener.cloud/container'
const forceCleanup = `${containerGroup}/force-cleanup`

const pause = 2_000

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
      await forget(context, settings)
      return undefined
    },
    async abort(context) {
      for (const operation of ['RECONCILE', 'DELETE'] as const) {
        const objects = objectsOf(context, settings, operation)
        await discard(objects.client, resources.pods, objects, [objects.run])
      }
      return undefined
    },
  })
}

/** One look at the run; starts it when there is nothing to look at. */
async function run(
  context: DeployContext,
  settings: ContainerSettings,
  operation: Operation,
): Promise<Outcome | undefined> {
  const objects = objectsOf(context, settings, operation)
  const { status } = context.deployItem
  const before = recorded(status.providerStatus)
  if (before.finished === objects.run) return tidy(objects, [objects.run], settings)
  const pod = await find(objects)
  if (pod === undefined) {
    if (before.podName !== undefined) await discard(objects.client, resources.pods, objects, [before.podName])
    const started = { podName: objects.run, lastRun: secondTime(context.clock.now()) }
    record(context, { operation, pod: started, state: before.state })
    await context.persist()
    await start(context, settings, operation, objects, before.state)
    return { unfinished: true, requeueAfterMs: pause }
  }
  const seen = observe(pod)
  const shown = podStatus(pod, pod.metadata.creationTimestamp ?? '')
  record(context, { operation, pod: shown, state: before.state })
  if (seen.state === 'running') return { unfinished: true, requeueAfterMs: pause }
  const result = await readResult(objects)
  const state = result?.chunks ?? before.state
  record(context, { operation, pod: shown, state })
  const failure = failureOf(seen, result)
  if (failure !== undefined) {
    fail(context, failure)
    // A pod that could not start yet must not do so when nobody expects it any more; one that has ended is there to be looked at.
    return tidy(objects, failure.hasStarted ? [] : [objects.run], settings)
  }
  if (result?.values !== undefined) await context.exports(result.values)
  // Written before anything is cleaned up: without its pod, nothing else would tell that the run is over.
  record(context, { operation, pod: shown, state, finished: objects.run })
  await context.persist()
  await discard(
    objects.client,
    resources.secrets,
    objects,
    before.state.filter((one) => !state.includes(one)),
  )
  return tidy(objects, [objects.run], settings)
}

async function tidy(objects: RunObjects, pods: readonly string[], settings: ContainerSettings): Promise<undefined> {
  const { client, run: name } = objects
  await discard(client, resources.secrets, objects, [inputOf(name), pullSecretOf(name), resultOf(name)])
  if (settings.keepPods !== true) await discard(client, resources.pods, objects, pods)
}

async function start(
  context: DeployContext,
  settings: ContainerSettings,
  operation: Operation,
  objects: RunObjects,
  state: readonly string[],
): Promise<void> {
  const { client, run: name, namespace, labels, signal } = objects
  const config = decodeContainer(context.config)
  const registries = await registryConfiguration(context)
  await createInput(objects, context.config, config, registries)
  await grantWait(objects)
  const hasPullSecret = registries !== undefined
  const pod = podFor({ name, namespace, labels, operation, config, settings, state, hasPullSecret })
  await ensure(client, resources.pods, { ...pod }, signal)
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

/** A failure ends the run: the same pod would say the same thing again. */
function fail({ deployItem: { status }, clock }: DeployContext, { reason, message }: RunFailure): void {
  const time = secondTime(clock.now())
  status.phase = 'Failed'
  status.lastError = { operation: 'RunContainer', reason, message, lastTransitionTime: time, lastUpdateTime: time }
}

async function find({ client, run: name, namespace, signal }: RunObjects): Promise<Pod | undefined> {
  try {
    return await client.of<Pod>(resources.pods).get(name, { namespace, signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** All that is left of the item on the host cluster. */
async function forget(context: DeployContext, settings: ContainerSettings): Promise<void> {
  const objects = objectsOf(context, settings, 'DELETE')
  const { state, podName } = recorded(context.deployItem.status.providerStatus)
  await discard(objects.client, resources.secrets, objects, state)
  await discard(objects.client, resources.pods, objects, podName === undefined ? [] : [podName])
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
