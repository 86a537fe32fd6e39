/** What follows a reconcile, and the error that ends the retries of a key. */

/**
 * `requeueAfterMs`: reconcile again after this time although nothing has changed. `retry`: again with the queue's back-off, for states that
 * are about to change and no errors. A reconcile without result is done until a source reports a change.
 */
export type ReconcileResult = { readonly requeueAfterMs: number } | { readonly retry: true }

/**
 * Retrying cannot help: the key is reconciled again only when a source reports a change.
 *
 * @example throw new TerminalError(`Widget ${key}: spec.size must not be negative`)
 */
export class TerminalError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TerminalError'
  }
}
