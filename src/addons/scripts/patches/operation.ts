/** An operation of a hook on an object of the cluster: one parsed document of `KUBERNETES_PATCH_PATH`. */
import type { Program } from '../../../jq/index.ts'
import type { KubeObject } from '../../../kube/index.ts'
import type { Operation } from '../../../patch/index.ts'
import type { JsonObject } from '../../../runtime/index.ts'

export type ObjectOperation = (CreateOperation | DeleteOperation | PatchOperation) & {
  /** Applied even when the hook failed. */
  readonly ignoreHookError: boolean
}

export interface CreateOperation {
  readonly operation: 'Create' | 'CreateIfNotExists' | 'CreateOrUpdate'
  readonly object: KubeObject
  readonly subresource?: string
}

/** The object; `apiVersion` selects one of several kinds with the same name. */
export interface ObjectTarget {
  readonly apiVersion?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly subresource?: string
}

export interface DeleteOperation extends ObjectTarget {
  /** `Delete` uses foreground propagation and waits until the object is deleted. */
  readonly operation: 'Delete' | 'DeleteInBackground' | 'DeleteNonCascading'
}

export type PatchOperation = ObjectTarget & { readonly ignoreMissingObject: boolean } & (
    | { readonly operation: 'JQPatch'; readonly jqFilter: Program }
    | { readonly operation: 'MergePatch'; readonly mergePatch: JsonObject }
    | { readonly operation: 'JSONPatch'; readonly jsonPatch: readonly Operation[] }
  )
