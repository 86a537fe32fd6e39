/** A condition as `metav1.Condition` and the older kinds have it. */
export interface Condition {
  readonly type: string
  /** `True`, `False` or `Unknown`. */
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
  readonly lastTransitionTime?: string
  /** Of Deployments. */
  readonly lastUpdateTime?: string
  /** Of Jobs and pods. */
  readonly lastProbeTime?: string | null
}
