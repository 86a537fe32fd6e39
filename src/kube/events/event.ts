/** What a caller passes to have an event written. */
import type { ObjectReference } from '../kinds/index.ts'
import type { KubeObject } from '../object.ts'

export interface EventInput {
  readonly type: 'Normal' | 'Warning'
  /** Machine-readable, in CamelCase: `HookFailed`. */
  readonly reason: string
  /** The action in CamelCase: `RunHook`. @default the reason */
  readonly action?: string
  /** Human-readable, without secrets; cut at 1024 bytes, the server's limit. */
  readonly note: string
}

export interface EventRecorder {
  /** Never waits and never throws: an event that cannot be written is dropped and counted. */
  record(about: KubeObject | ObjectReference, input: EventInput): void
  /** Resolves when everything recorded so far is written or dropped. */
  flush(): Promise<void>
}

export function regardingOf(about: KubeObject | ObjectReference): ObjectReference {
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
