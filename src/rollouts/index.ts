/** Public face of the rollouts surface: the resource, the gate, the engine. */
import type { RunMemory } from '../hooks/index.ts'
import type { KubeClient, KubeObject } from '../kube/index.ts'
import type { Runtime } from '../runtime/index.ts'
import { type AccessRule, ownRulesFor, rulesFor } from './access.ts'
import { admissionPolicies } from './gate/admission-policies.ts'
import { type Gate, type GateOptions, startGate } from './gate/start.ts'
import { validatingPolicies } from './gate/validating-policies.ts'
import { webhookConfigurations } from './gate/webhook-configuration.ts'
import { startEngine } from './loop/index.ts'
import { group, kind, rolloutPolicyDefinition, version } from './policy/definition.ts'

export type { RolloutPolicy } from './policy/types.ts'

interface Context {
  readonly client: KubeClient
  /** Installs the gate. @default client */
  readonly installer?: KubeClient
  readonly runtime: Runtime
  readonly signal: AbortSignal
  /** The latest runs of every surface of this process. @default a memory of its own */
  readonly runs?: RunMemory
}

interface Installation {
  readonly rules: readonly AccessRule[]
  readonly ownRules: readonly AccessRule[]
  readonly objects: readonly KubeObject[]
}

/** The plug for the operator. */
export function rolloutsSurface(options: GateOptions) {
  let shared: Gate | undefined
  return {
    name: 'rollouts',
    resources: [rolloutPolicyDefinition],

    installation({ user }: { readonly user: string }): Installation {
      const gate = options.use ?? 'policies'
      return { rules: rulesFor(gate), ownRules: ownRulesFor(gate), objects: gateObjects(options, user) }
    },

    /** A Service sends reviews to every replica. */
    async serve({ client, installer, runtime }: Context) {
      if (options.webhook?.service === undefined || options.use !== 'webhook') return undefined
      const gate = await startGate(client, runtime, { ...options, installer })
      shared = gate
      return { stop: () => gate.stop() }
    },

    async start({ client, installer, runtime, signal, runs }: Context) {
      // Without the definition nothing could ever be watched; better to say so at once.
      await client.find(`${group}/${version}`, kind)
      const own = shared === undefined ? await startGate(client, runtime, { ...options, installer }) : undefined
      const { ready, ended } = startEngine(client, runtime, signal, { gate: own ?? shared, memory: runs })
      const stop = async () => {
        try {
          await ended
        } finally {
          await own?.stop()
        }
      }
      return { ready, stop }
    },
  }
}

function gateObjects({ use = 'policies', webhook }: GateOptions, engine: string): readonly KubeObject[] {
  if (use === 'policies') return [...admissionPolicies(engine), ...validatingPolicies(engine)]
  const service = webhook?.service
  return use === 'webhook' && service !== undefined ? webhookConfigurations({ engine, client: { service } }) : []
}

export { isAbortRequested, isRetryRequested, recordWorld, type Write, writesOf } from './decide/index.ts'
export { comparedGate } from './gate/compare.ts'
export { engineUser } from './gate/engine-user.ts'
export { type GateInspection, inspectGate } from './gate/inspect.ts'
export { bestGate, type GateKind, gateKinds, registrations, userNameOf } from './gate/kinds.ts'
export { removeOtherGates } from './gate/prune.ts'
export { type GateOptions, startGate } from './gate/start.ts'
export {
  abortAnnotation,
  holdLabel,
  hookLabel,
  installationSelector,
  optInLabel,
  policyLabel,
  retryAnnotation,
  rolloutLabel,
  undoAnnotation,
} from './labels.ts'
export { type ExplainedPolicy, explainPolicy, startEngine } from './loop/index.ts'
export { templateHash } from './objects/template-hash.ts'
export { policyType } from './observe/index.ts'
export { atRest, resumed } from './plan/at-rest.ts'
export { type Plan, type PlannedHook, type PlanStep, planRollout } from './plan/plan.ts'
export { parsePoint, podsAt } from './points/point.ts'
export { type CompiledPolicy, compilePolicy } from './policy/compile.ts'
export { group, isSameDefinition, kind, rolloutPolicyDefinition, version } from './policy/definition.ts'
export { readPolicy } from './policy/read.ts'
export type {
  EndedRollout,
  ExecNewPod,
  Handler,
  HookRecord,
  HookState,
  Ledger,
  LifecycleHook,
  PolicyCondition,
  RolloutPolicySpec,
  RolloutType,
  TargetKind,
} from './policy/types.ts'
export type { DaemonSet, Deployment, PodTemplate, StatefulSet, Workload } from './policy/workload.ts'
export { pageOf } from './reports/reports.ts'
export { rollingBudget, shareOf } from './strategies/strategy.ts'
