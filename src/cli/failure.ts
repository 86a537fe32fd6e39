/**
 * Turns whatever a command threw into what a person reads and the code the program ends with: code, what happened, cause, what to
 * do. A stack only when asked for, or when the error is a defect of ours.
 */
import { CommanderError } from 'commander'
import { CarabinerError, errorTable } from '../runtime/errors.ts'
import type { CliContext, ExitCode } from './context.ts'
import { paint } from './terminal/paint.ts'

export function reportFailure(error: unknown, context: CliContext, debug: boolean): ExitCode {
  // Commander has printed its own message already; help and version are not failures.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : errorTable.CRB_USAGE.exit
  const failure = error instanceof CarabinerError ? error : wrap(error)
  const colour = paint(context.stderr)
  const lines = [`${colour.red('error')} ${colour.bold(failure.code)}: ${failure.message}`]
  for (const cause of causesOf(failure)) lines.push(`  cause: ${cause}`)
  lines.push(`  what to do: ${failure.remedy}`)
  if (debug && failure.stack !== undefined) lines.push(colour.dim(failure.stack))
  context.stderr.write(`${lines.join('\n')}\n`)
  return errorTable[failure.code].exit
}

function wrap(error: unknown): CarabinerError {
  const message = error instanceof Error ? error.message : String(error)
  return new CarabinerError('CRB_INTERNAL', message, { cause: error })
}

/** The chain of causes, without those that say the same again. */
function causesOf(error: Error): string[] {
  const causes: string[] = []
  let said = error.message
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    if (!said.includes(cause.message) && cause.message !== '') causes.push(cause.message)
    said += cause.message
  }
  return causes
}
