/** Binding contexts for hooks as functions, with the fields of the context file of programs. */
import type { KubeObject } from '../../../kube/index.ts'
import type { Json } from '../../../runtime/index.ts'

export type BindingContext =
  | { readonly binding: 'onStartup'; readonly type?: undefined }
  | ScheduleContext
  | SynchronizationContext
  | EventContext
  | GroupContext
  | AdmissionContext
  | ConversionContext

/** Objects by the name of their binding. */
export type Snapshots = Readonly<Record<string, readonly ObjectAndFilterResult[]>>

export interface ObjectAndFilterResult<T extends KubeObject = KubeObject> {
  /** Absent with `keepFullObjectsInMemory: false`. */
  readonly object?: T
  /** Present if the binding has a `jqFilter`. */
  readonly filterResult?: Json
}

interface WithSnapshots {
  readonly binding: string
  readonly snapshots?: Snapshots
}

export interface ScheduleContext extends WithSnapshots {
  readonly type: 'Schedule'
}

/** The first list of a `kubernetes` binding. */
export interface SynchronizationContext extends WithSnapshots {
  readonly type: 'Synchronization'
  readonly objects: readonly ObjectAndFilterResult[]
}

export interface EventContext extends WithSnapshots, ObjectAndFilterResult {
  readonly type: 'Event'
  readonly watchEvent: 'Added' | 'Modified' | 'Deleted'
}

/** An event of a binding in the group; the snapshots contain the current objects. */
export interface GroupContext extends WithSnapshots {
  readonly type: 'Group'
  readonly groupName: string
}

/** An `AdmissionReview`; the hook's answer is what `run` returns. */
export interface AdmissionContext extends WithSnapshots {
  readonly type: 'Validating' | 'Mutating'
  readonly review: { readonly apiVersion: string; readonly kind: string; readonly request: AdmissionRequest }
}

export interface AdmissionRequest {
  readonly uid: string
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly namespace?: string
  readonly name?: string
  readonly object?: KubeObject | null
  readonly oldObject?: KubeObject | null
  readonly userInfo?: { readonly username?: string; readonly groups?: readonly string[] }
  readonly dryRun?: boolean
}

/** A `ConversionReview`; the hook's answer is what `run` returns. */
export interface ConversionContext extends WithSnapshots {
  readonly type: 'Conversion'
  readonly fromVersion: string
  readonly toVersion: string
  readonly review: {
    readonly apiVersion: string
    readonly kind: string
    readonly request: {
      readonly uid: string
      readonly desiredAPIVersion?: string
      readonly objects: readonly KubeObject[]
    }
  }
}

export interface AdmissionAnswer {
  readonly allowed: boolean
  readonly message?: string
  readonly warnings?: readonly string[]
  /** A JSON patch, as a list or in base64; only for mutating hooks. */
  readonly patch?: string | readonly object[]
}

export type ConversionAnswer = { readonly convertedObjects: readonly KubeObject[] } | { readonly failedMessage: string }
