/**
 * What a command gets from the program around it: the world, the two output streams, and a way to say how it ended. Commands never
 * touch `process`, so that tests run them in the same process and read what they wrote.
 */
import type { Runtime } from '../runtime/runtime.ts'

export interface Output {
  write(text: string): void
  /** True on a terminal, where colours and a moving progress line make sense. */
  readonly isTerminal: boolean
  /** Columns of the terminal; 80 elsewhere. */
  readonly columns: number
}

/** 0 done · 1 failed · 2 wrong usage · 3 still going when the time was over. */
export type ExitCode = number

export interface CliContext {
  readonly runtime: Runtime
  readonly stdout: Output
  readonly stderr: Output
  readStdin(): Promise<Uint8Array>
  /** The code the program ends with once the command has returned; the last call counts. */
  exit(code: ExitCode): void
  /** The program ends once the command has returned, whatever a library still waits for. */
  leave(): void
  /** Aborts on Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
  /** `carabiner`, or `kubectl carabiner` when run as a kubectl plugin. */
  readonly programName: string
}
