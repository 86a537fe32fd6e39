/** What carries decisions out. */
import type { HttpExecutor, ObjectExecutor } from '../../hooks/index.ts'
import type { EventRecorder, KubeClient } from '../../kube/index.ts'
import type { RecentActions } from '../observe/index.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Reports } from '../reports/reports.ts'

export interface EngineDeps {
  readonly client: KubeClient
  readonly objects: ObjectExecutor
  readonly http: HttpExecutor
  readonly events: EventRecorder
  readonly recent: RecentActions
  readonly reports: Reports
  /** Has the policy decided about again. */
  wake(policy: RolloutPolicy): void
}
