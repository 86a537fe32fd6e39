/**
 * Prints the error of a command (code, message, causes, remedy) and returns the exit code. With --debug also the stacks of the error and its
 * causes, because the stack of CRB_INTERNAL itself only shows where the error was caught.
 */
import { CommanderError } from 'commander'
import { CarabinerError, errorTable } from '../runtime/index.ts'
import type { CliContext, ExitCode } from './context.ts'
import { asStarted } from './program-name.ts'
import { paint } from './terminal/paint.ts'
import { printable } from './terminal/printable.ts'

export function reportFailure(error: unknown, context: CliContext, { debug }: { readonly debug: boolean }): ExitCode {
  // Commander has already printed its message; help and version are not failures.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : errorTable.CRB_USAGE.exit
  const failure = error instanceof CarabinerError ? error : wrap(error)
  const causes = causesOf(failure)
  const colour = paint(context.stderr)
  const text = (said: string) => asStarted(printable(said), context)
  const lines = [`${colour.red('error')} ${colour.bold(failure.code)}: ${text(failure.message)}`]
  for (const message of newMessages(failure, causes)) lines.push(`  cause: ${text(message)}`)
  lines.push(`  what to do: ${text(failure.remedy)}`)
  if (debug)
    for (const { stack } of [failure, ...causes]) if (stack !== undefined) lines.push(colour.dim(printable(stack)))
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

/** The messages of the causes that are not contained in an earlier message. */
function newMessages(error: Error, causes: readonly Error[]): readonly string[] {
  let printed = error.message
  return causes.flatMap(({ message }) => {
    const isNew = message !== '' && !printed.includes(message)
    printed += message
    return isNew ? [message] : []
  })
}
