/** How a run under way learns that its item shall be aborted. */
export class Cancellation {
  readonly #controller = new AbortController()

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  cancel(): void {
    this.#controller.abort(new Error('the item shall be aborted'))
  }
}
