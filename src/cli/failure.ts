/**
 * Turns whatever a command threw into what a person reads and the code the program ends with: code, what happened, cause, what to
 * do. Stacks only when asked for, those of the causes too: of a defect of ours, the error itself only says where it was caught.
 */
import { CommanderError } from 'commander'
import { CarabinerError, errorTable } from '../runtime/errors.ts'
import type { CliContext, ExitCode } from './context.ts'
import { paint } from './terminal/paint.ts'

export function reportFailure(error: unknown, context: CliContext, debug: boolean): ExitCode {
  // Commander has printed its own message already; help and version are not failures.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : errorTable.CRB_USAGE.exit
  const failure = error instanceof CarabinerError ? error : wrap(error)
  const causes = causesOf(failure)
  const colour = paint(context.stderr)
  const lines = [`${colour.red('error')} ${colour.bold(failure.code)}: ${failure.message}`]
  for (const message of unsaid(failure, causes)) lines.push(`  cause: ${message}`)
  lines.push(`  what to do: ${failure.remedy}`)
  if (debug) for (const { stack } of [failure, ...causes]) if (stack !== undefined) lines.push(colour.dim(stack))
  context.stderr.write(`${lines.join('\n')}\n`)
  return errorTable[failure.code].exit
}

function wrap(error: unknown): CarabinerError {
  const message = error instanceof Error ? error.message : String(error)
  return new CarabinerError('CRB_INTERNAL', message, { cause: error })
}

function causesOf(error: Error): readonly Error[] {
  return error.cause instanceof Error ? [error.cause, ...causesOf(error.cause)] : []
}

/** What the causes say, without those that say the same again. */
function unsaid(error: Error, causes: readonly Error[]): readonly string[] {
  let said = error.message
  return causes.flatMap(({ message }) => {
    const isNew = message !== '' && !said.includes(message)
    said += message
    return isNew ? [message] : []
  })
}
