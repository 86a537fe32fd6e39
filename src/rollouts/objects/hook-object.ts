/** The Job or pod of a hook: named after its run, owned by the revision it belongs to, with the facts of its rollout as variables. */
import { jobAction, type ObjectAction, type ObjectDetails, podAction, type Run } from '../../hooks/index.ts'
import { hookLabel, policyLabel, revisionLabel, rolloutLabel } from '../labels.ts'
import type { CompiledHook } from '../policy/compile.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { JobSpec, PodSpec, Workload } from '../policy/workload.ts'
import { openshiftEnvironment, rolloutEnvironment, withEnvironment } from './environment.ts'
import { podOf } from './exec-new-pod.ts'
import type { HookContext } from './hook-context.ts'
import { filledPod, valuesOf, withValues } from './variables.ts'

/** Undefined for actions that are no objects. */
export function hookObject(
  { policy, workload }: { readonly policy: RolloutPolicy; readonly workload: Workload },
  { run, hook, context }: { readonly run: Run; readonly hook: CompiledHook; readonly context: HookContext },
): ObjectAction | undefined {
  const { action } = hook
  const namespace = policy.metadata.namespace ?? ''
  const variables = [
    ...rolloutEnvironment(namespace, context),
    ...(policy.spec.openshiftEnvironment ? openshiftEnvironment(namespace, context) : []),
  ]
  const details = detailsOf(policy, run, context)
  const newTemplate = workload.spec.template
  const lookUp = valuesOf(newTemplate, { ...context, workload: workload.metadata.name })
  switch (action.kind) {
    case 'job': {
      // How long it is kept is the retain policy's business.
      const { ttlSecondsAfterFinished: _, template, ...spec }: JobSpec = action.spec
      const pod: PodSpec = { restartPolicy: 'Never', ...template.spec }
      const job = {
        ...retriedWhenDisrupted(spec, pod),
        template: { ...template, spec: withEnvironment(withValues(pod, lookUp), variables) },
      }
      return jobAction(run, details, job)
    }
    case 'pod': {
      const spec = podOf(newTemplate, filledPod(action.pod, newTemplate, lookUp))
      const { labels, annotations } = action.pod
      const own = { ...details, labels: { ...labels, ...details.labels }, ...(annotations && { annotations }) }
      return spec && podAction(run, own, withEnvironment(spec, variables))
    }
    case 'http':
    case 'approval':
      return undefined
  }
}

/** A pod that is evicted does not use up the back-off limit, unless the author of the Job says what does. */
function retriedWhenDisrupted(spec: Omit<JobSpec, 'template'>, { restartPolicy }: PodSpec): Omit<JobSpec, 'template'> {
  const { podFailurePolicy, podReplacementPolicy = 'Failed' } = spec
  // The API server refuses the combination with any other value of these two.
  if (podFailurePolicy !== undefined || podReplacementPolicy !== 'Failed' || restartPolicy !== 'Never') return spec
  const rule = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }
  return { ...spec, podFailurePolicy: { rules: [rule] } }
}

function detailsOf({ metadata }: RolloutPolicy, run: Run, context: HookContext): ObjectDetails {
  return {
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
