/**
 * What a command gets from the program: the runtime, the output streams and the exit code. Commands never use `process` directly, so that
 * tests can run them in the same process and read their output.
 */
import type { Runtime } from '../runtime/index.ts'

export interface Output {
  write(text: string): void
  /** True on a terminal, where colours and a progress line are shown. */
  readonly isTerminal: boolean
  /** Columns of the terminal; 80 elsewhere. */
  readonly columns: number
}

/** 0 done · 1 failed · 2 wrong usage · 3 still in progress at the timeout. */
export type ExitCode = number

export interface CliContext {
  readonly runtime: Runtime
  readonly stdout: Output
  readonly stderr: Output
  readStdin(): Promise<Uint8Array>
  /** Sets the exit code used once the command has returned; the last call counts. */
  exit(code: ExitCode): void
  /** Ends the process once the command has returned, even if a library keeps it running. */
  leave(): void
  /** Aborts on Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
  /** `carabiner`, or `kubectl carabiner` when run as a kubectl plugin. */
  readonly programName: string
}
