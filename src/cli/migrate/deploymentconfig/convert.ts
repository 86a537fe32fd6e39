/** One DeploymentConfig as a Deployment and, when it has hooks, a RolloutPolicy; with a note for everything that is not as it was. */
import { labelValueOf } from '../../../kube/label-value.ts'
import type { KubeObject, ObjectMeta } from '../../../kube/object.ts'
import { optInLabel } from '../../../rollouts/labels.ts'
import { group, kind as policyKind, version } from '../../../rollouts/policy/definition.ts'
import type { PodTemplate } from '../../../rollouts/policy/workload.ts'
import { hooksOf } from './hooks.ts'
import { strategyOf } from './strategy.ts'
import { imagesOf, triggersOf } from './triggers.ts'
import type { DeploymentConfig, Note, Tell } from './types.ts'

export interface Converted {
  /** `namespace/name` of the DeploymentConfig. */
  readonly name: string
  readonly objects: readonly KubeObject[]
  readonly notes: readonly Note[]
}

/** Written by machines for machines, or about the old object. */
const foreign = /^(kubectl\.kubernetes\.io\/last-applied|openshift\.io\/generated-by|app\.openshift\.io\/)/

export function convert(config: DeploymentConfig): Converted {
  const notes: Note[] = []
  const tell: Tell = (field, note) => notes.push({ field, note })
  const { spec, metadata } = config
  const template = cleaned(imagesOf(spec.template, spec.triggers ?? [], tell), tell)
  const hooks = hooksOf(spec.strategy ?? {}, template, tell)
  // Policies are named by a label of what they are for.
  const policyName = labelValueOf(metadata.name)
  if (hooks !== undefined && policyName !== metadata.name)
    tell('metadata.name', `the name of a policy has at most 63 characters: it is ${policyName}`)
  const metadataOf = (own: Pick<ObjectMeta, 'labels' | 'annotations'> = {}): ObjectMeta => {
    const labels = { ...metadata.labels, ...own.labels }
    return {
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(own.annotations ?? {}).length === 0 ? {} : { annotations: own.annotations }),
    }
  }
  const kept = Object.entries(metadata.annotations ?? {}).filter(([key]) => !foreign.test(key))
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf({
      // Its hooks are for the first rollout too, which is held only with the label.
      ...(hooks === undefined ? {} : { labels: { [optInLabel]: policyName } }),
      annotations: { ...Object.fromEntries(kept), ...triggersOf(spec.triggers, template, tell) },
    }),
    spec: {
      replicas: spec.replicas ?? 1,
      revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
      ...(spec.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}),
      ...(spec.paused === true ? { paused: true } : {}),
      ...strategyOf(spec.strategy ?? {}, spec.minReadySeconds ?? 0, tell),
      selector: { matchLabels: spec.selector ?? template.metadata?.labels ?? {} },
      template,
    },
  }
  if (spec.test === true)
    tell('spec.test', 'a Deployment is not scaled to zero after its rollout; do so in a hook at 100%')
  const name = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`
  if (hooks === undefined) return { name, objects: [deployment], notes }
  const policy = {
    apiVersion: `${group}/${version}`,
    kind: policyKind,
    metadata: { ...metadataOf(), name: policyName },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: metadata.name },
      ...hooks,
      // A DeploymentConfig runs its hooks for the first rollout too, and tells them what they belong to.
      rolloutTypes: ['CREATE', 'ROLLOUT', 'ROLLBACK'],
      openshiftEnvironment: true,
    },
  }
  return { name, objects: [deployment, policy], notes }
}

/** Without what only servers write, and without container fields that no server knows any more. */
function cleaned({ metadata = {}, spec }: PodTemplate, tell: Tell): PodTemplate {
  const { creationTimestamp: _, ...rest } = metadata as Readonly<Record<string, unknown>>
  const containers = spec.containers.map(({ capabilities, ...container }, index) => {
    if (capabilities !== undefined && Object.keys(capabilities as object).length > 0)
      tell(`spec.template.spec.containers[${index}].capabilities`, 'left out: put it below securityContext')
    return container
  })
  return { metadata: rest, spec: { ...spec, containers } } as PodTemplate
}
