/** Aborts a run under way when its item gets the abort annotation. */
export class ItemCancellation {
  readonly #controller = new AbortController()

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  cancel(): void {
    this.#controller.abort(new Error('the item has the operation annotation "abort"'))
  }
}
