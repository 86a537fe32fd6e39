/** Checks the gate: which kind is installed, whether it holds workloads, and what to do if not. */
import { isNotFound, type KubeClient } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import {
  type GateInspection,
  type GateKind,
  inspectGate,
  policyType,
  type RolloutPolicy,
  rolloutPolicyDefinition,
} from '../../rollouts/index.ts'
import type { Finding } from './finding.ts'

const names: Readonly<Record<GateKind, string>> = {
  policies: 'admission policies',
  webhook: 'webhook',
  'at-rest': 'at rest',
}

export async function gateFinding(client: KubeClient, namespace: string): Promise<Finding> {
  const name = 'gate'
  const inspection = await inspectGate(client, namespace)
  const { installed, tried, best, isEngine } = inspection
  if (installed !== undefined && isEngine)
    return {
      name,
      state: 'optional',
      detail: `${detailOf(installed, inspection)}; you are that user, so none of your changes is held`,
      remedy:
        'Use the kubeconfig of another user, or start the operator again with `carabiner run --install`, which gives it a user of its own.',
    }
  if (installed !== undefined && tried?.holds !== false)
    return { name, state: 'works', detail: [detailOf(installed, inspection), tried?.message ?? 'not tried'].join('; ') }
  if (installed !== undefined) {
    const remedy =
      installed === 'webhook'
        ? 'Start the operator that serves the webhook, or check why the API server cannot reach it.'
        : 'Run `carabiner install` again.'
    return { name, state: 'missing', detail: `${detailOf(installed, inspection)}; ${tried?.message}`, remedy }
  }
  if (!(await hasDefinition(client)))
    return {
      name,
      state: 'optional',
      detail: `not installed; recommended kind: ${names[best]}`,
      remedy: 'For rollout hooks run `carabiner install`, or `carabiner run --install` to try them.',
    }
  if (await isHeldAtRest(client))
    return { name, state: 'works', detail: 'at rest: the operator holds workloads with a policy between rollouts' }
  if (best === 'at-rest')
    return { name, state: 'works', detail: 'at rest: your user may install neither admission policies nor webhooks' }
  return {
    name,
    state: 'missing',
    detail: `not installed; recommended kind: ${names[best]}`,
    remedy: 'Run `carabiner install`; until then workloads roll out without hooks.',
  }
}

function detailOf(gate: GateKind, { engine }: GateInspection): string {
  return `${names[gate]}, opened only by ${engine ?? 'no user'}`
}

/** The at-rest gate has no objects of its own; the status of a policy names it. */
async function isHeldAtRest(client: KubeClient): Promise<boolean> {
  const { items } = await client.of<RolloutPolicy>(policyType).list({ limit: 100 })
  return items.some(({ status }) => status?.gate === 'at-rest')
}

async function hasDefinition(client: KubeClient): Promise<boolean> {
  try {
    await client.of(resources.customResourceDefinitions).get(rolloutPolicyDefinition.metadata.name)
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}
