/** Converts a DeploymentConfig to a Deployment and, when it has hooks, a RolloutPolicy; adds a note for everything that changes. */
import { type KubeObject, labelValueOf, type ObjectMeta } from '../../../kube/index.ts'
import { group, optInLabel, type PodTemplate, kind as policyKind, version } from '../../../rollouts/index.ts'
import { hooksOf } from './hooks.ts'
import { strategyOf } from './strategy.ts'
import { imagesOf, triggersOf } from './triggers.ts'
import type { AddNote, DeploymentConfig, Note } from './types.ts'

export interface Converted {
  /** `namespace/name` of the DeploymentConfig. */
  readonly name: string
  readonly objects: readonly KubeObject[]
  readonly notes: readonly Note[]
}

/** Annotations written by tools for the old object. */
const droppedAnnotations = /^(kubectl\.kubernetes\.io\/last-applied|openshift\.io\/generated-by|app\.openshift\.io\/)/

export function convert(config: DeploymentConfig): Converted {
  const notes: Note[] = []
  const addNote: AddNote = (field, note) => notes.push({ field, note })
  const { spec, metadata } = config
  const template = cleaned(imagesOf(spec.template, spec.triggers ?? [], addNote), addNote)
  const hooks = hooksOf(spec.strategy ?? {}, template, addNote)
  // The name of a policy is also the value of a label of its workload.
  const policyName = labelValueOf(metadata.name)
  if (hooks !== undefined && policyName !== metadata.name)
    addNote('metadata.name', `the name of a policy has at most 63 characters; changed to ${policyName}`)
  const metadataOf = (own: Pick<ObjectMeta, 'labels' | 'annotations'> = {}): ObjectMeta => {
    const labels = { ...metadata.labels, ...own.labels }
    return {
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(own.annotations ?? {}).length === 0 ? {} : { annotations: own.annotations }),
    }
  }
  const kept = Object.entries(metadata.annotations ?? {}).filter(([key]) => !droppedAnnotations.test(key))
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf({
      // Hooks of a DeploymentConfig also run at its first rollout, which is held only with the label.
      ...(hooks === undefined ? {} : { labels: { [optInLabel]: policyName } }),
      annotations: { ...Object.fromEntries(kept), ...triggersOf(spec.triggers, template, addNote) },
    }),
    spec: {
      replicas: spec.replicas ?? 1,
      revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
      ...(spec.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}),
      ...(spec.paused === true ? { paused: true } : {}),
      ...strategyOf(spec.strategy ?? {}, spec.minReadySeconds ?? 0, addNote),
      selector: { matchLabels: spec.selector ?? template.metadata?.labels ?? {} },
      template,
    },
  }
  if (spec.test === true)
    addNote('spec.test', 'dropped: a Deployment is not scaled to zero after its rollout; use a hook at 100% for that')
  const name = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`
  if (hooks === undefined) return { name, objects: [deployment], notes }
  const policy = {
    apiVersion: `${group}/${version}`,
    kind: policyKind,
    metadata: { ...metadataOf(), name: policyName },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: metadata.name },
      ...hooks,
      // A DeploymentConfig runs its hooks at the first rollout, too, and sets the OpenShift variables in their environment.
      rolloutTypes: ['CREATE', 'ROLLOUT', 'ROLLBACK', 'RESTART'],
      openshiftEnvironment: true,
    },
  }
  return { name, objects: [deployment, policy], notes }
}

/** Removes fields that only the API server sets, and container fields that it no longer accepts. */
function cleaned({ metadata = {}, spec }: PodTemplate, addNote: AddNote): PodTemplate {
  const { creationTimestamp: _, ...rest } = metadata as Readonly<Record<string, unknown>>
  const containers = spec.containers.map(({ capabilities, ...container }, index) => {
    if (capabilities !== undefined && Object.keys(capabilities as object).length > 0)
      addNote(`spec.template.spec.containers[${index}].capabilities`, 'dropped: set it in securityContext')
    return container
  })
  return { metadata: rest, spec: { ...spec, containers } } as PodTemplate
}
