/** Checks from outside whether the gate of a cluster works: what is installed, for which user, and what a dry run does. */
import type { KubeClient, KubeObject } from '../../kube/index.ts'
import { engineIn, type MatchCondition } from './conditions.ts'
import { bestGate, type GateKind, installedPolicy, installedWebhook, userNameOf } from './kinds.ts'
import { type Probe, probeGate } from './probe.ts'

export interface GateInspection {
  readonly installed: GateKind | undefined
  /** The user who may open it. */
  readonly engine: string | undefined
  /** The gate takes the client of this check for the engine, and lets it pass. */
  readonly isEngine: boolean
  /** The best gate that the client could install. */
  readonly best: GateKind
  /** What became of a Deployment that was created for show; undefined when it could not be tried. */
  readonly tried: Probe | undefined
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
    tried: installed === undefined || isEngine ? undefined : await probeGate(client, namespace),
  }
}
