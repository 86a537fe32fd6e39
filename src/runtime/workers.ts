/**
 * Threads that run somebody else's module. They share no memory with this one: a module that crashes or never comes back takes nothing
 * else down.
 */
export interface WorkerSpec {
  /** Path of the module's file. */
  readonly module: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
}

export interface ModuleWorker {
  readonly stdout: AsyncIterable<Uint8Array>
  readonly stderr: AsyncIterable<Uint8Array>
  /**
   * Calls a function of the module's default export with plain data, or gives the member as it is when it is no function. Rejects with a
   * `WorkerFailure`. The function gets a signal that aborts with `signal`.
   */
  call(member: string, argument?: unknown, signal?: AbortSignal): Promise<unknown>
  /** Ends the thread wherever it is; calls under way reject. */
  terminate(): Promise<void>
}

export interface Workers {
  /** The module is loaded with the first call. */
  start(spec: WorkerSpec): ModuleWorker
}

/** Why a call of a worker did not come to its end: the function threw, or the thread is gone. */
export class WorkerFailure extends Error {
  readonly kind: 'threw' | 'ended'

  constructor(kind: 'threw' | 'ended', message: string) {
    super(message)
    this.name = 'WorkerFailure'
    this.kind = kind
  }
}
