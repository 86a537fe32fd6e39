/** How one reconcile of a deploy item ended. */
export interface FlowEnd {
  readonly requeue: boolean
  /** After an error the shortest pause. */
  readonly requeueAfterMs: number
  /** The version of the item that the run has seen or made. */
  readonly version: string | undefined
  /** The run ended with this; it is tried again later, unless the item has failed for good. */
  readonly error?: unknown
}
