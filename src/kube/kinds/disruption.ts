/** How many pods may be missing at a time. */
import type { LabelSelector } from '../label-selector.ts'
import type { KubeObject } from '../object.ts'
import type { Condition } from './condition.ts'
import type { IntOrPercent } from './workload.ts'

export interface PodDisruptionBudget extends KubeObject {
  readonly spec: {
    readonly minAvailable?: IntOrPercent
    readonly maxUnavailable?: IntOrPercent
    readonly selector?: LabelSelector
    readonly unhealthyPodEvictionPolicy?: string
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly disruptionsAllowed: number
    readonly currentHealthy: number
    readonly desiredHealthy: number
    readonly expectedPods: number
    /** Pods whose eviction is granted and not observed yet, with the time of the grant. */
    readonly disruptedPods?: Readonly<Record<string, string>>
    readonly conditions?: readonly Condition[]
  }
}
