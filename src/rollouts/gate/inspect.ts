/** Checks from outside whether the gate of a cluster works: what is installed, for which user, and what a dry run does. */
import { isForbidden, type KubeClient, type KubeObject } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { holdLabel, optInLabel } from '../labels.ts'
import { engineIn, type MatchCondition } from './conditions.ts'
import { bestGate, type GateKind, installedPolicy, installedWebhook, userNameOf } from './kinds.ts'

export interface GateInspection {
  readonly installed: GateKind | undefined
  /** The user who may open it. */
  readonly engine: string | undefined
  /** The gate takes the client of this check for the engine, and lets it pass. */
  readonly isEngine: boolean
  /** The best gate that the client could install. */
  readonly best: GateKind
  /** What became of a Deployment that was created for show; undefined when it could not be tried. */
  readonly tried: { readonly holds: boolean; readonly message: string } | undefined
}

type Registration = KubeObject & {
  readonly spec?: { readonly matchConditions?: readonly MatchCondition[] }
  readonly webhooks?: readonly { readonly matchConditions?: readonly MatchCondition[] }[]
}

export async function inspectGate(client: KubeClient, namespace: string): Promise<GateInspection> {
  const policy = await installedPolicy<Registration>(client)
  const webhook = await installedWebhook<Registration>(client)
  const installed = policy === undefined ? (webhook === undefined ? undefined : 'webhook') : 'policies'
  const conditions = (policy?.spec ?? webhook?.webhooks?.[0])?.matchConditions ?? []
  const engine = engineIn(conditions)
  const isEngine = engine === (await userNameOf(client))
  return {
    installed,
    engine,
    isEngine,
    best: await bestGate(client),
    tried: installed === undefined || isEngine ? undefined : await tryGate(client, namespace),
  }
}

/** Nothing is kept: the API server only says what it would have made of it. */
async function tryGate(client: KubeClient, namespace: string): Promise<GateInspection['tried']> {
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
