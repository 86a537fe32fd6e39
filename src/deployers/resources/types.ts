/**
 * The resources of the landscaper's group as they are on the wire: what to install where, and what became of it. Specs are never
 * changed by anyone here; the status of a deploy item is, by the deployer that is responsible for it.
 */
import type { KubeObject, ResourceType } from '../../kube/object.ts'
import type { Json, JsonObject } from '../../runtime/json.ts'

export const group = 'landscaper.gardener.cloud'
export const version = 'v1alpha1'
export const apiVersion = `${group}/${version}`

function type(resource: string, kind: string): ResourceType {
  return { group, version, resource, kind, namespaced: true }
}

export const landscaperResources = {
  deployItems: type('deployitems', 'DeployItem'),
  targets: type('targets', 'Target'),
  contexts: type('contexts', 'Context'),
  executions: type('executions', 'Execution'),
  dataObjects: type('dataobjects', 'DataObject'),
} as const

export interface ObjectReference {
  readonly name: string
  readonly namespace?: string
}

/** An object inside an object: provider configurations and provider statuses. */
export interface EmbeddedResource {
  readonly apiVersion: string
  readonly kind: string
  readonly [field: string]: Json
}

export const errorCodes = [
  'ERR_UNAUTHORIZED',
  'ERR_CLEANUP',
  'ERR_CONFIGURATION_PROBLEM',
  'ERR_INTERNAL_PROBLEM',
  'ERR_READINESS_CHECK_TIMEOUT',
  'ERR_TIMEOUT',
  'ERR_CYCLIC_DEPENDENCIES',
] as const

export type LandscaperErrorCode = (typeof errorCodes)[number]

/** What a reader of the status learns about the last failure. */
export interface LastError {
  operation: string
  reason: string
  message: string
  /** When this operation began to fail. */
  lastTransitionTime: string
  lastUpdateTime: string
  codes?: LandscaperErrorCode[]
}

export interface Condition {
  type: string
  status: 'True' | 'False' | 'Progressing' | 'Unknown'
  lastTransitionTime: string
  lastUpdateTime: string
  reason: string
  message: string
  codes?: LandscaperErrorCode[]
}

export type DeployItemPhase = 'Init' | 'Progressing' | 'Deleting' | 'Succeeded' | 'Failed'

export interface DeployItemSpec {
  readonly type: string
  readonly target?: ObjectReference
  /** @default default */
  readonly context?: string
  readonly config?: EmbeddedResource
  readonly registryPullSecrets?: readonly ObjectReference[]
  /** How long the item may be at work: a duration as Go writes it, or `none`. */
  readonly timeout?: string
}

export interface DeployItemStatus {
  phase?: DeployItemPhase
  observedGeneration?: number
  conditions?: Condition[]
  lastError?: LastError
  lastReconcileTime?: string
  deployer?: { identity: string; name: string; version: string }
  providerStatus?: EmbeddedResource
  exportRef?: ObjectReference
  /** Set by newer landscapers: a value that differs from `jobIDFinished` asks for one run. */
  jobID?: string
  jobIDFinished?: string
}

export interface DeployItem extends KubeObject {
  readonly spec: DeployItemSpec
  readonly status?: DeployItemStatus
}

export interface Target extends KubeObject {
  readonly spec: { readonly type: string; readonly config?: Json }
}

/** The only type of target the stock deployers know. */
export const kubernetesClusterTarget = `${group}/kubernetes-cluster`

export interface Context extends KubeObject {
  readonly repositoryContext?: JsonObject
  readonly registryPullSecrets?: readonly { readonly name: string }[]
  readonly configurations?: JsonObject
}

export interface DeployItemTemplate {
  readonly name: string
  readonly type: string
  readonly target?: ObjectReference
  readonly labels?: Readonly<Record<string, string>>
  readonly config: EmbeddedResource
  readonly dependsOn?: readonly string[]
  readonly timeout?: string
}

export interface ExecutionSpec {
  /** @default default */
  readonly context?: string
  readonly deployItems?: readonly DeployItemTemplate[]
  readonly registryPullSecrets?: readonly ObjectReference[]
}

export type ExecutionPhase = 'Init' | 'Progressing' | 'Deleting' | 'Succeeded' | 'Failed'

export interface ExecutionStatus {
  phase?: ExecutionPhase
  observedGeneration?: number
  conditions?: Condition[]
  lastError?: LastError
  exportRef?: ObjectReference
  /** The items made from the templates, and the item's generation that belongs to the template. */
  deployItemRefs?: { name: string; ref: { name: string; namespace: string; observedGeneration?: number } }[]
  /** The execution's generation that each item was last brought in line with. */
  execGenerations?: { name: string; observedGeneration: number }[]
}

export interface Execution extends KubeObject {
  readonly spec: ExecutionSpec
  readonly status?: ExecutionStatus
}

export interface DataObject extends KubeObject {
  readonly data?: Json
}
