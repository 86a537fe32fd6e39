/**
 * Worker threads that run a module of a user. They share no memory with the main thread, so a module that crashes or never returns does
 * not affect the operator.
 */
export interface WorkerSpec {
  /** Path of the module file. */
  readonly module: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
}

export interface ModuleWorker {
  readonly stdout: AsyncIterable<Uint8Array>
  readonly stderr: AsyncIterable<Uint8Array>
  /**
   * Calls a function of the module's default export with plain data; a member that is not a function is returned as it is. Rejects with a
   * `WorkerFailure`. The function receives a signal that aborts together with `signal`.
   */
  call(member: string, argument?: unknown, signal?: AbortSignal): Promise<unknown>
  /** Stops the thread at once; running calls reject. */
  terminate(): Promise<void>
}

export interface Workers {
  /** The module is loaded by the first call. */
  start(spec: WorkerSpec): ModuleWorker
}

/** Why a call of a worker failed: the function threw, or the thread ended. */
export class WorkerFailure extends Error {
  readonly kind: 'threw' | 'ended'

  constructor(kind: 'threw' | 'ended', message: string) {
    super(message)
    this.name = 'WorkerFailure'
    this.kind = kind
  }
}
