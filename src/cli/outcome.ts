/** The result of a command that observes an object, as an exit code for scripts. */
import type { ExitCode } from './context.ts'

export type Outcome = 'settled' | 'failed' | 'going'

export const exitCodes: Readonly<Record<Outcome, ExitCode>> = { settled: 0, failed: 1, going: 3 }
