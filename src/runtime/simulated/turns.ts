/**
 * Waits until all runnable promises have continued. A message sent through a MessageChannel arrives only after all microtasks have run, in
 * Node.js and in browsers, and costs about a microsecond.
 */
export class Turns {
  readonly #channel = new MessageChannel()
  #wake: () => void = () => undefined

  constructor() {
    // Assigning the property also starts the port; its type is missing from Node's declarations.
    Object.assign(this.#channel.port1, { onmessage: () => this.#wake() })
  }

  /** Resolves when no microtask is left. */
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
