/**
 * Types of the Landscaper resources as on the wire. Deployers never change specs; the responsible deployer writes the status of a deploy
 * item.
 */
import type { KubeObject, ResourceType } from '../../kube/index.ts'
import type { Json, JsonObject } from '../../runtime/index.ts'

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

/** An object embedded in another one: a provider configuration or provider status. */
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

/** The last failure, for readers of the status. */
export interface LastError {
  operation: string
  reason: string
  message: string
  /** When the operation began to fail. */
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
  /** How long a run may take: a duration in Go's format, or `none`. */
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
  /** Set by newer Landscapers: a value that differs from `jobIDFinished` requests one run. */
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

/** The only target type the stock deployers support. */
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
  /** The item of each template, and the generation of the item that has the template's spec. */
  deployItemRefs?: { name: string; ref: { name: string; namespace: string; observedGeneration?: number } }[]
  /** The generation of the execution that each item was last updated to. */
  execGenerations?: { name: string; observedGeneration: number }[]
}

export interface Execution extends KubeObject {
  readonly spec: ExecutionSpec
  readonly status?: ExecutionStatus
}

export interface DataObject extends KubeObject {
  readonly data?: Json
}
