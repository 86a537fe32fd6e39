/** How far the thing a command is about has come, in the three answers a script can act on. */
import type { ExitCode } from './context.ts'

export type Outcome = 'settled' | 'failed' | 'going'

export const exitCodes: Readonly<Record<Outcome, ExitCode>> = { settled: 0, failed: 1, going: 3 }
