/** What the doctor says of the gate: which one there is, whether it holds, and what to do. */
import type { KubeClient } from '../../kube/client/client.ts'
import { isNotFound } from '../../kube/errors.ts'
import { resources } from '../../kube/kinds/index.ts'
import { type GateInspection, inspectGate } from '../../rollouts/gate/inspect.ts'
import type { GateKind } from '../../rollouts/gate/kinds.ts'
import { policyType } from '../../rollouts/observe/caches.ts'
import { rolloutPolicyDefinition } from '../../rollouts/policy/definition.ts'
import type { RolloutPolicy } from '../../rollouts/policy/types.ts'
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
      detail: `${detailOf(installed, inspection)}; that is you, so that nothing you write is held`,
      remedy: 'Give the operator a user of its own: `carabiner install` does, or a kubeconfig user with `as:`.',
    }
  if (installed !== undefined && tried?.holds !== false)
    return { name, state: 'works', detail: [detailOf(installed, inspection), tried?.message ?? 'not tried'].join('; ') }
  if (installed !== undefined) {
    const remedy =
      installed === 'webhook'
        ? 'Start the operator that serves the webhook, or look why the API server does not reach it.'
        : 'Run `carabiner install` again.'
    return { name, state: 'missing', detail: `${detailOf(installed, inspection)}; ${tried?.message}`, remedy }
  }
  if (!(await hasDefinition(client)))
    return {
      name,
      state: 'optional',
      detail: `not installed; it would be: ${names[best]}`,
      remedy: 'For hooks around rollouts run `carabiner install`, or `carabiner run --install` to try.',
    }
  if (await restsShut(client))
    return { name, state: 'works', detail: 'at rest: the operator keeps workloads with a policy shut between rollouts' }
  if (best === 'at-rest')
    return { name, state: 'works', detail: 'at rest: you may install neither admission policies nor webhooks' }
  return {
    name,
    state: 'missing',
    detail: `not installed; it would be: ${names[best]}`,
    remedy: 'Run `carabiner install`; until then rollouts pass without hooks.',
  }
}

function detailOf(gate: GateKind, { engine }: GateInspection): string {
  return `${names[gate]}, opened by ${engine ?? 'nobody'} alone`
}

/** Nothing has to be installed for that gate; only its policies tell of it. */
async function restsShut(client: KubeClient): Promise<boolean> {
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
