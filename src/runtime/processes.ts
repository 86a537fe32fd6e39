/** Local processes: hooks, helm, container commands, credential plugins. */
export interface ProcessSpec {
  readonly command: string
  readonly args?: readonly string[]
  /** The complete environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Content of standard input. @default empty */
  readonly stdin?: Uint8Array
  /** Kills the process group when this process ends, also when it is killed. @default false */
  readonly endsWithParent?: boolean
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
  /** Settles when the process itself has ended, although a child may still hold its output open; rejects like `exit`. */
  readonly ended: Promise<ProcessExit>
  /** Settles when the process has ended and its output has been read; rejects if it could not be started. */
  readonly exit: Promise<ProcessExit>
  /** Stops reading output: later output of remaining children is dropped, and `exit` settles without waiting for them. */
  stopReading(): void
  /** Whether other processes of its group still exist; valid after the process has ended. */
  hasRemainingChildren(): boolean
  /** Sends the signal to the whole process group; a process that has ended is not an error. */
  kill(signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP'): void
}

/** A program that ends soon and gets no input. */
export interface ShortProgram {
  /** An absolute path: PATH is not searched. */
  readonly command: string
  readonly args?: readonly string[]
  readonly cwd: string
}

export interface ProgramOutput {
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
}

/** Time limit for one call of `runShort`. */
export const shortProgramsTimeoutMs = 1000

export interface Processes {
  /** Starts the process as the leader of its own process group, so that `kill` reaches its children. */
  spawn(spec: ProcessSpec): RunningProcess
  /** Creates pipes for many processes in the background, so that the first processes start faster. Never rejects. */
  warmUp(): Promise<void>
  /**
   * Runs many short programs in the same environment, a few at a time, at a fraction of the cost of `spawn`. Each promise resolves with the
   * output of its program if the program exited with 0 and left no children behind, else with undefined, whether the program ran or
   * not. After undefined, the caller uses `spawn`, which has no time limit and reports what is wrong.
   */
  runShort(
    programs: readonly ShortProgram[],
    env: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): readonly Promise<ProgramOutput | undefined>[]
}
