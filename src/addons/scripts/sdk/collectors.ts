/** Collects the metrics and object changes of a hook; they are applied after the hook has ended, like the files of a program. */
import type { KubeObject } from '../../../kube/index.ts'

export interface SeriesOptions {
  readonly labels?: Readonly<Record<string, string>>
}

/** Metrics of the hook; the metrics of a group are replaced by every run that reports the group. */
export interface HookMetricsCollector {
  set(name: string, value: number, options?: SeriesOptions & { readonly group?: string }): void
  add(name: string, value: number, options?: SeriesOptions & { readonly group?: string }): void
  observe(name: string, value: number, options?: SeriesOptions & { readonly buckets?: readonly number[] }): void
  expire(group: string): void
}

export interface ObjectRef {
  readonly apiVersion?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

export interface OperationOptions {
  readonly subresource?: string
  /** Applied even when the hook fails. */
  readonly ignoreHookError?: boolean
}

export interface PatchOptions extends OperationOptions {
  readonly ignoreMissingObject?: boolean
}

/** Changes of objects, applied in this order after the hook has ended. */
export interface ObjectChanges {
  create<T extends KubeObject>(object: T, options?: OperationOptions): void
  createIfNotExists<T extends KubeObject>(object: T, options?: OperationOptions): void
  createOrUpdate<T extends KubeObject>(object: T, options?: OperationOptions): void
  /** Foreground deletion: the run continues when the object is deleted. */
  delete(object: ObjectRef, options?: OperationOptions): void
  deleteInBackground(object: ObjectRef, options?: OperationOptions): void
  deleteNonCascading(object: ObjectRef, options?: OperationOptions): void
  mergePatch(object: ObjectRef, patch: object, options?: PatchOptions): void
  jsonPatch(object: ObjectRef, patch: readonly object[], options?: PatchOptions): void
  jqPatch(object: ObjectRef, filter: string, options?: PatchOptions): void
}

export function collectMetrics(documents: object[]): HookMetricsCollector {
  return {
    set: (name, value, options) => void documents.push({ action: 'set', name, value, ...options }),
    add: (name, value, options) => void documents.push({ action: 'add', name, value, ...options }),
    observe: (name, value, options) => void documents.push({ action: 'observe', name, value, ...options }),
    expire: (group) => void documents.push({ action: 'expire', group }),
  }
}

export function collectChanges(documents: object[]): ObjectChanges {
  const creating = (operation: string) => (object: KubeObject, options?: OperationOptions) =>
    void documents.push({ operation, object, ...options })
  const deleting = (operation: string) => (object: ObjectRef, options?: OperationOptions) =>
    void documents.push({ operation, ...refOf(object), ...options })
  return {
    create: creating('Create'),
    createIfNotExists: creating('CreateIfNotExists'),
    createOrUpdate: creating('CreateOrUpdate'),
    delete: deleting('Delete'),
    deleteInBackground: deleting('DeleteInBackground'),
    deleteNonCascading: deleting('DeleteNonCascading'),
    mergePatch: (object, mergePatch, options) =>
      void documents.push({ operation: 'MergePatch', ...refOf(object), mergePatch, ...options }),
    jsonPatch: (object, jsonPatch, options) =>
      void documents.push({ operation: 'JSONPatch', ...refOf(object), jsonPatch, ...options }),
    jqPatch: (object, jqFilter, options) =>
      void documents.push({ operation: 'JQPatch', ...refOf(object), jqFilter, ...options }),
  }
}

/** Callers may pass a full object, for example from a snapshot; only the reference is used. */
function refOf({ apiVersion, kind, namespace, name }: ObjectRef): ObjectRef {
  return {
    kind,
    name,
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(namespace === undefined ? {} : { namespace }),
  }
}
