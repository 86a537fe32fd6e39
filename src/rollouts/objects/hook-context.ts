/** What a hook learns about its rollout. */
import type { RolloutType } from '../policy/types.ts'

export interface HookContext {
  readonly from: string | undefined
  readonly to: string
  /** Empty while the same decision creates the revision. */
  readonly toUid: string
  readonly toKind: 'ReplicaSet' | 'ControllerRevision'
  readonly type: RolloutType
  readonly rollout: string
}
