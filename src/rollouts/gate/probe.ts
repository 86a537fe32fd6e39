/** Tries the gate with a dry run: a Deployment with the label of a policy must come back held. Nothing is stored. */
import { isForbidden, type KubeClient } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { CarabinerError, type Clock } from '../../runtime/index.ts'
import { holdLabel, optInLabel } from '../labels.ts'

export interface Probe {
  readonly holds: boolean
  readonly message: string
}

/** Undefined when the user may not try it. The client must not be the engine's, which passes every gate. */
export async function probeGate(client: KubeClient, namespace: string): Promise<Probe | undefined> {
  const labels = { app: 'carabiner-doctor' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'none', image: 'none' }] } }
  const probe = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'carabiner-doctor', namespace, labels: { [optInLabel]: 'none' } },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  }
  try {
    const answer = await client.of(resources.deployments).create(probe, { dryRun: true })
    const holds = answer.metadata.labels?.[holdLabel] !== undefined
    return { holds, message: holds ? 'a new Deployment arrives held' : 'a new Deployment is not held' }
  } catch (error) {
    if (isForbidden(error)) return undefined
    return { holds: false, message: error instanceof Error ? error.message : String(error) }
  }
}

const inForceTimeoutMs = 15_000
const probePauseMs = 200

/** API servers observe a new gate with a delay, in which changed templates would pass. */
export async function untilInForce(client: KubeClient, clock: Clock, signal: AbortSignal): Promise<void> {
  const deadline = clock.monotonic() + inForceTimeoutMs
  for (;;) {
    const probe = await probeGate(client, 'default')
    if (probe?.holds !== false) return
    if (clock.monotonic() >= deadline)
      throw new CarabinerError('CRB_GATE_NOT_IN_FORCE', `the gate is installed, but ${probe.message}`)
    await clock.sleep(probePauseMs, signal)
  }
}
