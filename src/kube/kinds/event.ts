/** Events, in both of their API groups. */
import type { KubeObject } from '../object.ts'

/** The object an event is about. */
export interface ObjectReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
}

/** Of `events.k8s.io/v1`. */
export interface Event extends KubeObject {
  readonly eventTime: string
  readonly reportingController: string
  readonly reportingInstance: string
  /** `Normal` or `Warning`. */
  readonly type: string
  readonly reason: string
  readonly action: string
  readonly note: string
  readonly regarding: ObjectReference
  readonly related?: ObjectReference
  readonly series?: { readonly count: number; readonly lastObservedTime: string }
}

/** Of `v1`: the same objects under older field names. */
export interface CoreEvent extends KubeObject {
  readonly involvedObject: Partial<ObjectReference> & { readonly fieldPath?: string }
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly action?: string
  readonly count?: number
  readonly eventTime?: string
  readonly firstTimestamp?: string
  readonly lastTimestamp?: string
  readonly reportingComponent?: string
  readonly reportingInstance?: string
  readonly source?: { readonly component?: string; readonly host?: string }
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string }
}
