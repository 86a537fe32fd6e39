/**
 * What a command gets from the program: the runtime, the output streams and the exit code. Commands never use `process` directly, so that
 * tests can run them in the same process and read their output.
 */
import type { Runtime } from '../runtime/index.ts'
import type { Display } from './terminal/display.ts'

export interface Output extends Display {
  write(text: string): void
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
  /** What a user types to start this program, for example `carabiner`, `kubectl carabiner` or `npx carabiner`. */
  readonly programName: string
  /**
   * Keeps a terminal from echoing keys, which would scroll a picture that is redrawn; returns what ends that. Ctrl-C still interrupts.
   * Undefined where standard input is not a terminal.
   */
  muteKeys?(): () => void
}
