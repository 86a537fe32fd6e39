/** How one reconcile of a deploy item ended. */
export interface FlowResult {
  readonly requeue: boolean
  /** After an error the minimum back-off. */
  readonly requeueAfterMs: number
  /** The resourceVersion of the item that the run has read or written last. */
  readonly version: string | undefined
  /** The error that ended the run; it is retried with back-off. */
  readonly error?: unknown
}
