/** The strategy for a kind of workload. */
import type { Workload } from '../policy/workload.ts'
import { daemonSetStrategy } from './daemonset.ts'
import { deploymentStrategy } from './deployment.ts'
import { statefulSetStrategy } from './statefulset.ts'
import type { Strategy } from './strategy.ts'

export function strategyOf({ kind }: Workload): Strategy {
  if (kind === 'StatefulSet') return statefulSetStrategy
  return kind === 'DaemonSet' ? daemonSetStrategy : deploymentStrategy
}
