/**
 * A way to wait until every promise that can go on has gone on. A message to oneself arrives only after all microtasks have run, in Node
 * and in browsers alike, and costs about a microsecond.
 */
export class Turns {
  readonly #channel = new MessageChannel()
  #wake: () => void = () => undefined

  constructor() {
    // Assigning the property also starts the port; its type is missing from Node's declarations.
    Object.assign(this.#channel.port1, { onmessage: () => this.#wake() })
  }

  /** Resolves when nothing is runnable any more. */
  quiet(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      this.#channel.port2.postMessage(undefined)
    })
  }

  /** An open channel would keep the process alive. */
  close(): void {
    this.#channel.port1.close()
  }
}
