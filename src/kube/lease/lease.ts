/** Leadership among replicas and its options. */

export interface LeadershipOptions {
  readonly namespace: string
  readonly name: string
  /** Names this process; must differ from every other candidate's. */
  readonly identity: string
  /** Milliseconds a silent holder keeps the lease, in whole seconds. @default 15_000 */
  readonly duration?: number
  /** Milliseconds without a successful renewal after which work stops; less than `duration`, so that it has stopped before another may begin. @default 10_000 */
  readonly renewDeadline?: number
  /** Milliseconds between renewals while all is well. @default 4_000 */
  readonly renewPeriod?: number
  /** Milliseconds between attempts to get the lease, or to renew it after one that failed. @default 2_000 */
  readonly retryPeriod?: number
}

export interface Leadership {
  readonly leading: boolean
  /**
   * Competes for the lease until `signal` aborts, and calls `work` while it is held. The signal given to `work` aborts the moment the
   * lease is lost; when that work has ended, the process is a candidate again. Ends with `work` or with `signal`, and gives the lease
   * back so that nobody has to wait for it.
   */
  run(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>
}
