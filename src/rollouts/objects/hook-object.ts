/**
 * The Job or pod that carries a hook out: named after its run, owned by the revision it belongs to, told what rollout it is part of.
 */
import { objectName, type Run } from '../../hooks/index.ts'
import type { KubeObject } from '../../kube/object.ts'
import type { HookContext } from '../decide/decision.ts'
import { hookLabel, policyLabel, revisionLabel, rolloutLabel } from '../labels.ts'
import type { CompiledHook } from '../policy/compile.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { JobSpec, PodSpec, Workload } from '../policy/workload.ts'
import { openshiftEnvironment, rolloutEnvironment, withEnvironment } from './environment.ts'
import { podOf } from './exec-new-pod.ts'

/** Undefined for actions that are no objects. */
export function hookObject(
  policy: RolloutPolicy,
  workload: Workload,
  run: Run,
  hook: CompiledHook,
  context: HookContext,
): KubeObject | undefined {
  const { action } = hook
  const namespace = policy.metadata.namespace ?? ''
  const variables = [
    ...rolloutEnvironment(namespace, context),
    ...(policy.spec.openshiftEnvironment ? openshiftEnvironment(namespace, context) : []),
  ]
  const metadata = metadataOf(policy, run, context, namespace)
  switch (action.kind) {
    case 'job': {
      // How long it is kept is the retain policy's business.
      const { ttlSecondsAfterFinished: _, template, ...spec }: JobSpec = action.spec
      const pod: PodSpec = { restartPolicy: 'Never', ...template.spec }
      const job = { ...spec, template: { ...template, spec: withEnvironment(pod, variables) } }
      return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: job } as KubeObject
    }
    case 'pod': {
      const spec = podOf(workload.spec.template, action.pod)
      return spec && ({ apiVersion: 'v1', kind: 'Pod', metadata, spec: withEnvironment(spec, variables) } as KubeObject)
    }
    case 'http':
    case 'approval':
      return undefined
  }
}

function metadataOf(
  { metadata }: RolloutPolicy,
  run: Run,
  context: HookContext,
  namespace: string,
): KubeObject['metadata'] {
  return {
    name: objectName(run),
    namespace,
    labels: {
      [policyLabel]: metadata.name,
      [rolloutLabel]: context.rollout,
      [hookLabel]: run.hook,
      [revisionLabel]: labelText(context.to),
    },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: context.toKind, name: context.to, uid: context.toUid }],
  }
}

/** What a label can hold of a name: at most 63 characters, the last of them a letter or digit. */
function labelText(name: string): string {
  return name.slice(0, 63).replace(/[^a-zA-Z0-9]+$/, '')
}
