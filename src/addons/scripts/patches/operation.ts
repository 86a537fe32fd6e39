/**
 * What a hook asks to be done with objects of the cluster, one document of `KUBERNETES_PATCH_PATH` each, after reading.
 */
import type { Program } from '../../../jq/program.ts'
import type { KubeObject } from '../../../kube/object.ts'
import type { Operation } from '../../../patch/operation.ts'
import type { JsonObject } from '../../../runtime/json.ts'

export type ObjectOperation = (CreateOperation | DeleteOperation | PatchOperation) & {
  /** Done also when the hook failed. */
  readonly ignoreHookError: boolean
}

export interface CreateOperation {
  readonly operation: 'Create' | 'CreateIfNotExists' | 'CreateOrUpdate'
  readonly object: KubeObject
  readonly subresource?: string
}

/** Which object: one of several kinds of that name is chosen by `apiVersion`. */
export interface ObjectTarget {
  readonly apiVersion?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly subresource?: string
}

export interface DeleteOperation extends ObjectTarget {
  /** `Delete` is in the foreground and waits until the object is gone. */
  readonly operation: 'Delete' | 'DeleteInBackground' | 'DeleteNonCascading'
}

export type PatchOperation = ObjectTarget & { readonly ignoreMissingObject: boolean } & (
    | { readonly operation: 'JQPatch'; readonly jqFilter: Program }
    | { readonly operation: 'MergePatch'; readonly mergePatch: JsonObject }
    | { readonly operation: 'JSONPatch'; readonly jsonPatch: readonly Operation[] }
  )
