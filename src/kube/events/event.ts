/** Events of `events.k8s.io/v1`, and what a caller says to have one written. */
import type { KubeObject } from '../object.ts'

/** The object an event is about. */
export interface Regarding {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
}

export interface EventInput {
  readonly type: 'Normal' | 'Warning'
  /** Why, in one word for machines: `HookFailed`. */
  readonly reason: string
  /** What was being done, in one word: `RunHook`. @default the reason */
  readonly action?: string
  /** A sentence for people; no secrets. Cut at 1024 bytes, the server's limit. */
  readonly note: string
}

export interface Event extends KubeObject {
  eventTime: string
  reportingController: string
  reportingInstance: string
  type: string
  reason: string
  action: string
  note: string
  regarding: Regarding
  series?: { count: number; lastObservedTime: string }
}

export interface EventRecorder {
  /** Never waits and never throws: what cannot be written is dropped and counted. */
  record(about: KubeObject | Regarding, input: EventInput): void
  /** Resolves when everything recorded so far is written or dropped. */
  flush(): Promise<void>
}

export function regardingOf(about: KubeObject | Regarding): Regarding {
  if (!('metadata' in about)) return about
  const { name, namespace, uid, resourceVersion } = about.metadata
  return {
    apiVersion: about.apiVersion,
    kind: about.kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
}
