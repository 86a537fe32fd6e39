/** Runs the command line in this process and creates the context through which commands use the platform. */
import { createRealRuntime } from '../runtime/real/index.ts'
import type { CliContext, Output } from './context.ts'
import { reportFailure } from './failure.ts'
import { buildProgram, connect } from './program.ts'
import { programNameOf } from './program-name.ts'

export async function main(): Promise<void> {
  const args = process.argv.slice(2)
  const debug = args.includes('--debug')
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // The first signal stops gracefully; the second one of the same kind ends the process (`once` restores the default).
    process.once(signal, () => interrupted.abort(new Error(`interrupted by ${signal}`)))
  }
  // EPIPE is not a failure: the reader has closed the pipe early (`| head`).
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

  let isLeaving = false
  const context: CliContext = {
    runtime: createRealRuntime({
      log: { level: debug ? 'debug' : 'info', format: process.stderr.isTTY ? 'text' : 'json' },
    }),
    stdout: output(process.stdout),
    stderr: output(process.stderr),
    readStdin,
    exit: (code) => {
      process.exitCode = code
    },
    leave: () => {
      isLeaving = true
    },
    signal: interrupted.signal,
    programName: programNameOf(process.argv[1] ?? '', process.env['npm_lifecycle_event']),
  }

  try {
    const wanted = args.find((argument) => !argument.startsWith('-'))
    const program = await buildProgram(context, wanted === 'help' ? 'every command' : wanted)
    connect(program, context)
    if (args.length === 0) program.outputHelp()
    else await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = reportFailure(error, context, { debug })
  }
  if (isLeaving) process.exit()
}

function output(stream: NodeJS.WriteStream): Output {
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY === true,
    columns: stream.columns ?? 80,
  }
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}
