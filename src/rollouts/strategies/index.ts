/** How each kind of workload is held, moved and released. */
import type { Deployment, Workload } from '../policy/workload.ts'
import { daemonSetStrategy } from './daemonset.ts'
import { deploymentStrategy } from './deployment.ts'
import { statefulSetStrategy } from './statefulset.ts'
import type { Strategy, View } from './strategy.ts'

export { type Progress, rollingBudget, type Strategy, type View } from './strategy.ts'

export function strategyOf({ kind }: Workload): Strategy {
  if (kind === 'StatefulSet') return statefulSetStrategy
  return kind === 'DaemonSet' ? daemonSetStrategy : deploymentStrategy
}

/** Whether all old pods end before the first new one is created. */
export function isRecreated({ kind }: Workload, saved: View['saved']): boolean {
  return kind === 'Deployment' && (saved as { strategy?: Deployment['spec']['strategy'] }).strategy?.type === 'Recreate'
}
