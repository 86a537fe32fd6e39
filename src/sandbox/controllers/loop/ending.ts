/**
 * One end for many: each party gets a signal of its own, because a signal with dozens of listeners looks like a leak to some runtimes.
 */
export class Ending {
  readonly #parties: AbortController[] = []
  #reached = false

  get reached(): boolean {
    return this.#reached
  }

  /** A signal that aborts when the end is reached; `stop` aborts it earlier. */
  party(): { readonly signal: AbortSignal; readonly stop: () => void } {
    const controller = new AbortController()
    if (this.#reached) controller.abort()
    this.#parties.push(controller)
    return {
      signal: controller.signal,
      stop: () => {
        this.#parties.splice(this.#parties.indexOf(controller), 1)
        controller.abort()
      },
    }
  }

  get signal(): AbortSignal {
    return this.party().signal
  }

  reach(): void {
    this.#reached = true
    for (const party of this.#parties) party.abort()
  }
}
