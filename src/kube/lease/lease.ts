/** Leadership among replicas and its options. */

type Labels = Readonly<Record<string, string>>

export interface LeadershipOptions {
  readonly namespace: string
  readonly name: string
  /** Names this process; must differ from every other candidate's. */
  readonly identity: string
  /** What the holder writes about itself into the metadata of the lease. @default nothing */
  readonly about?: { readonly labels?: Labels; readonly annotations?: Labels }
  /** Milliseconds a holder keeps the lease without renewing it, in whole seconds. @default 15_000 */
  readonly duration?: number
  /** Milliseconds without a successful renewal after which work stops; less than `duration`, so that work has stopped before another process can begin. @default 10_000 */
  readonly renewDeadline?: number
  /** Milliseconds between successful renewals. @default 4_000 */
  readonly renewPeriod?: number
  /** Milliseconds between attempts to acquire the lease, or to renew it after a failure. @default 2_000 */
  readonly retryPeriod?: number
}

export interface Leadership {
  readonly leading: boolean
  /**
   * Competes for the lease until `signal` aborts, and calls `work` while it is held. The signal given to `work` aborts when the lease is
   * lost; when that work has ended, the process is a candidate again. Ends with `work` or `signal` and releases the lease, so that the next
   * candidate need not wait.
   */
  run(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>
}
