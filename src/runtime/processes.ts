/**
 * Local processes: hooks, helm, container commands, credential plugins.
 */
export interface ProcessSpec {
  readonly command: string
  readonly args?: readonly string[]
  /** The whole environment: nothing is inherited unless the caller copies it in. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Bytes for standard input, which is then closed; without it standard input is empty. */
  readonly stdin?: Uint8Array
}

export interface ProcessExit {
  /** The exit code, or undefined when a signal ended the process. */
  readonly code: number | undefined
  readonly signal: string | undefined
}

export interface RunningProcess {
  readonly pid: number
  readonly stdout: AsyncIterable<Uint8Array>
  readonly stderr: AsyncIterable<Uint8Array>
  /** Settles when the process itself has ended, though a child it left behind may still hold its output; rejects like `exit`. */
  readonly ended: Promise<ProcessExit>
  /** Settles when the process has ended and its output is drained; rejects if it could not be started. */
  readonly exit: Promise<ProcessExit>
  /** Ends reading: what children left behind still print is dropped, and `exit` settles without waiting for them. */
  letGo(): void
  /** Whether others of its group are still there, to be asked after its end. */
  hasLeftOthers(): boolean
  /** Sends the signal to the whole process group; a process that is gone already is not an error. */
  kill(signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP'): void
}

/** A program that is over soon and gets no input. */
export interface ShortProgram {
  /** A path, not a name. */
  readonly command: string
  readonly args?: readonly string[]
  readonly cwd: string
}

export interface Printed {
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
}

/** Milliseconds after which short programs, all together, are not short any more. */
export const shortTime = 1000

export interface Processes {
  /** Starts the process as the leader of a group of its own, so that `kill` reaches its children. */
  spawn(spec: ProcessSpec): RunningProcess
  /** Makes what many processes need, beside this thread, so that the first ones do not have to wait for it. Resolves when it is there, if ever. */
  makeReady(): Promise<void>
  /**
   * Runs many short programs in the same environment, a few at once and the others in turn, at a fraction of the price of `spawn`. In the order
   * given: what a program printed that ended well and left nobody behind. Undefined for every other one, whether it was run or not: only
   * `spawn` waits as long as it takes, and says what is wrong.
   */
  runShort(
    programs: readonly ShortProgram[],
    env: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): readonly Promise<Printed | undefined>[]
}
