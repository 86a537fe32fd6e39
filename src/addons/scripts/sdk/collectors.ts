/**
 * What a hook asks for while it runs, noted down and done after its end, exactly as a program's files are.
 */
import type { KubeObject } from '../../../kube/object.ts'

export interface SeriesOptions {
  readonly labels?: Readonly<Record<string, string>>
}

/** Metrics of the hook; a group is replaced by every run that mentions it. */
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
  /** Done also when the hook fails. */
  readonly ignoreHookError?: boolean
}

export interface PatchOptions extends OperationOptions {
  readonly ignoreMissingObject?: boolean
}

/** Changes of objects, made in this order after the hook has ended. */
export interface ObjectChanges {
  create<T extends KubeObject>(object: T, options?: OperationOptions): void
  createIfNotExists<T extends KubeObject>(object: T, options?: OperationOptions): void
  createOrUpdate<T extends KubeObject>(object: T, options?: OperationOptions): void
  /** In the foreground: the run goes on when the object is gone. */
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

/** Whoever hands over more than a reference, a whole object of a snapshot for example, means the reference. */
function refOf({ apiVersion, kind, namespace, name }: ObjectRef): ObjectRef {
  return {
    kind,
    name,
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(namespace === undefined ? {} : { namespace }),
  }
}
