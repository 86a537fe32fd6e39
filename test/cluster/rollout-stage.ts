/**
 * A workload `web` with its policy in its own namespace, and the operations of users on them. The same in virtual time,
 * on the sandbox as a program and on a real control plane.
 */
import type { KubeClient } from '../../src/kube/client/client.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import type { Runtime } from '../../src/runtime/runtime.ts'
import { objectOperations } from './rollout-stage-objects.ts'
import { policyOperations } from './rollout-stage-policy.ts'
import { type StageScope, workloadOperations } from './rollout-stage-workload.ts'
import { behaviour } from './workloads.ts'

export { hasEnded, isAtRest, isOver, isStarted } from './rollout-stage-policy.ts'
export { type Found, isReady, workloadTypes } from './rollout-stage-workload.ts'

export interface Stage
  extends ReturnType<typeof workloadOperations>,
    ReturnType<typeof policyOperations>,
    ReturnType<typeof objectOperations> {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly namespace: string
}

export function stageOn(client: KubeClient, runtime: Runtime, namespace: string, signal: AbortSignal): Stage {
  const scope: StageScope = {
    client,
    runtime,
    namespace,
    signal,
    target: { kind: 'Deployment', type: resources.deployments },
  }
  const policy = policyOperations(scope)
  return { client, runtime, namespace, ...workloadOperations(scope), ...policy, ...objectOperations(scope, policy) }
}

/** The Job of a hook; by default it takes half a minute and succeeds. */
export function job(settings: Readonly<Record<string, string>> = {}) {
  const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example/hook:1' }] }
  return {
    backoffLimit: 0,
    template: { metadata: { annotations: behaviour({ 'run-for': '30s', ...settings }) }, spec },
  }
}

export const at = (progressPoint: number | string) => ({ progressAvailableParams: { progressPoint } })
