/** Runs the command line in this process and creates the context through which commands use the platform. */
import { createRealRuntime } from '../runtime/real/index.ts'
import type { CliContext, Output } from './context.ts'
import { reportFailure } from './failure.ts'
import { buildProgram, connect } from './program.ts'
import { programNameOf } from './program-name.ts'
import { type ColourChoice, colourChoices, displayOf } from './terminal/display.ts'

export async function main(): Promise<void> {
  const args = process.argv.slice(2)
  const debug = args.includes('--debug')
  const colour = colourOf(args)
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
    stdout: output(process.stdout, colour),
    stderr: output(process.stderr, colour),
    readStdin,
    exit: (code) => {
      process.exitCode = code
    },
    leave: () => {
      isLeaving = true
    },
    signal: interrupted.signal,
    ...(process.stdin.isTTY ? { muteKeys: () => muteKeys(interrupted) } : {}),
    programName: programNameOf({
      file: process.argv[1] ?? '',
      script: process.env['npm_lifecycle_event'],
      folder: process.cwd(),
    }),
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

function output(stream: NodeJS.WriteStream, colour: ColourChoice): Output {
  return Object.assign(displayOf({ stream, env: process.env, colour }), {
    write: (text: string) => void stream.write(text),
  })
}

/** Raw mode: the terminal itself neither echoes keys nor makes a signal of Ctrl-C. */
function muteKeys(interrupted: AbortController): () => void {
  const { stdin } = process
  const onKeys = (keys: Buffer) => {
    if (keys.includes(interruptKey)) interrupted.abort(new Error('interrupted by Ctrl-C'))
  }
  stdin.setRawMode(true)
  stdin.on('data', onKeys)
  return () => {
    stdin.off('data', onKeys)
    stdin.setRawMode(false)
    // Otherwise the process would wait for more keys.
    stdin.pause()
  }
}

const interruptKey = 3

/** `--color WHEN` or `--color=WHEN`; the program itself refuses other words. */
function colourOf(args: readonly string[]): ColourChoice {
  const index = args.findIndex((argument) => argument === '--color' || argument.startsWith('--color='))
  const word = args[index]?.split('=')[1] ?? args[index + 1]
  return (index >= 0 && colourChoices.find((choice) => choice === word)) || 'auto'
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}
