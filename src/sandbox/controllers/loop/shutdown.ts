/**
 * The shutdown of many components: each gets its own signal, because some runtimes report a leak for a signal with
 * dozens of listeners.
 */
export class Shutdown {
  readonly #signals: AbortController[] = []
  #isTriggered = false

  get isTriggered(): boolean {
    return this.#isTriggered
  }

  /** A signal that aborts on shutdown; `stop` aborts it earlier. */
  newSignal(): { readonly signal: AbortSignal; readonly stop: () => void } {
    const controller = new AbortController()
    if (this.#isTriggered) controller.abort()
    this.#signals.push(controller)
    return {
      signal: controller.signal,
      stop: () => {
        this.#signals.splice(this.#signals.indexOf(controller), 1)
        controller.abort()
      },
    }
  }

  get signal(): AbortSignal {
    return this.newSignal().signal
  }

  trigger(): void {
    this.#isTriggered = true
    for (const controller of this.#signals) controller.abort()
  }
}
