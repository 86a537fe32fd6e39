/** `carabiner jq`: runs a jq program with the implementation that hooks use. Options and exit codes are those of jq. */
import { Command } from 'commander'
import { compile, JqError, type Program, print } from '../../jq/index.ts'
import { CarabinerError, type Json, type JsonObject } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { reportFailure } from '../failure.ts'
import { type Arguments, type NamedValue, readArguments } from './arguments.ts'
import { type Inputs, jsonValues, openInputs, type Source } from './inputs.ts'

/** Exit codes of jq: 1 last output is false or null (-e), 2 input or usage, 3 invalid program, 4 no output (-e), 5 program failed. */
const exit = { falsy: 1, input: 2, program: 3, nothing: 4, failed: 5 } as const

const help = `
Options:
  -r, --raw-output          print strings without quotes
  -j, --join-output         as -r, and no newline after each output
  -c, --compact-output      one line for each output
  -S, --sort-keys           sort the keys of objects
      --indent <n>          indent by n spaces, 0 to 7 (default: 2)
      --tab                 indent by tabs
  -n, --null-input          run once on null; the program reads with input and inputs
  -s, --slurp               run once on an array of all inputs
  -R, --raw-input           each line is a string
      --yaml                the input is YAML, one or more documents
  -e, --exit-status         exit with 1 when the last output is false or null, 4 when there is none
      --arg <name> <text>       set $name to a string
      --argjson <name> <json>   set $name to a value
      --slurpfile <name> <file> set $name to an array of the values in a file
      --rawfile <name> <file>   set $name to the text of a file
      --args, --jsonargs        the following words are values for $ARGS.positional, not files

Examples:
  kubectl get pods -o json | carabiner jq '.items[] | {name: .metadata.name, phase: .status.phase}'
  carabiner jq --yaml -r .metadata.name deployment.yaml`

export function command(context: CliContext): Command {
  return new Command('jq')
    .description('Runs a jq program on JSON or YAML with the implementation that runs the filters of hooks.')
    .usage('[options] <program> [file...]')
    .argument('[words...]')
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', help)
    .configureHelp({ visibleOptions: () => [], visibleArguments: () => [] })
    .action(async (words: string[], _: unknown, command: Command) => {
      const given = readArguments(words)
      try {
        context.exit(await run(given, context))
      } catch (error) {
        if (!(error instanceof CarabinerError)) throw error
        // Other commands exit with 1 on unreadable files, but 1 is a result of -e here.
        reportFailure(error, context, { debug: command.optsWithGlobals()['debug'] === true })
        context.exit(exit.input)
      }
    })
}

async function run(given: Arguments, context: CliContext): Promise<number> {
  const named = await readNamed(given.named, context)
  const inputs = openInputs(await readSources(given, context), given.flags)
  const program = compileProgram(given, named, inputs, context)
  return program === undefined ? exit.program : runAll(program, { given, named, inputs, context })
}

function compileProgram(given: Arguments, named: JsonObject, inputs: Inputs, context: CliContext): Program | undefined {
  const { runtime, stderr } = context
  const env = Object.entries(runtime.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  try {
    return compile(given.program, {
      numbers: 'literal',
      variables: ['ARGS', ...Object.keys(named)],
      env: Object.fromEntries(env),
      now: () => runtime.clock.now() / 1000,
      input: inputs.next,
      inputFilename: inputs.file,
      zone: localZone,
      message: (kind, value) =>
        stderr.write(
          kind === 'debug' ? `${print(['DEBUG:', value])}\n` : typeof value === 'string' ? value : print(value),
        ),
    })
  } catch (error) {
    if (!(error instanceof JqError)) throw error
    stderr.write(`jq: error: ${error.message}\n`)
    return undefined
  }
}

interface Session {
  readonly given: Arguments
  readonly named: JsonObject
  readonly inputs: Inputs
  readonly context: CliContext
}

function runAll(program: Program, { given, named, inputs, context }: Session): number {
  const { flags } = given
  const variables: JsonObject = { ...named, ARGS: { positional: given.positional, named } }
  let last: Json | undefined
  let failed = 0
  const write = (value: Json) => {
    last = value
    context.stdout.write(asText(value, given))
  }
  const run = (input: Json): number | undefined => {
    try {
      program.each(input, write, variables)
    } catch (error) {
      if (!(error instanceof JqError)) throw error
      if (error.kind === 'halt') return halt(error, context)
      const colon = error.message.startsWith('(') ? '' : ':'
      context.stderr.write(`jq: error${colon} ${error.message}\n`)
      failed = exit.failed
    }
    return undefined
  }
  try {
    if (flags.has('null-input')) {
      const halted = run(null)
      if (halted !== undefined) return halted
    } else {
      for (let input = inputs.next(); input !== undefined; input = inputs.next()) {
        const halted = run(input)
        if (halted !== undefined) return halted
      }
    }
  } catch (error) {
    if (!(error instanceof JqError)) throw error
    context.stderr.write(`jq: error (at ${inputs.file() ?? '<stdin>'}): ${error.message}\n`)
    return exit.input
  }
  if (failed !== 0 || !flags.has('exit-status')) return failed
  if (last === undefined) return exit.nothing
  return last === null || last === false ? exit.falsy : 0
}

function asText(value: Json, { flags, indent }: Arguments): string {
  const raw = flags.has('raw-output') || flags.has('join-output')
  const text = raw && typeof value === 'string' ? value : print(value, { indent, sortKeys: flags.has('sort-keys') })
  return flags.has('join-output') ? text : `${text}\n`
}

function halt(error: JqError, context: CliContext): number {
  if (error.exitCode !== 0) {
    context.stderr.write(typeof error.value === 'string' ? error.value : `${print(error.value)}\n`)
  }
  return error.exitCode
}

async function readSources(given: Arguments, context: CliContext): Promise<Source[]> {
  if (given.files.length > 0) {
    return Promise.all(given.files.map(async (file) => ({ file, text: await readFile(file, context) })))
  }
  // With -n, standard input is read only if the program uses it: it may never end.
  if (given.flags.has('null-input') && !/\binputs?\b/.test(given.program)) return []
  return [{ file: undefined, text: new TextDecoder().decode(await context.readStdin()) }]
}

async function readNamed(given: ReadonlyMap<string, NamedValue>, context: CliContext): Promise<JsonObject> {
  const entries = [...given].map(async ([name, source]): Promise<[string, Json]> => {
    if ('value' in source) return [name, source.value]
    const text = await readFile(source.file, context)
    return [name, source.as === 'text' ? text : valuesIn(source.file, text)]
  })
  return Object.fromEntries(await Promise.all(entries))
}

function valuesIn(file: string, text: string): Json[] {
  try {
    return [...jsonValues(text)]
  } catch (error) {
    throw new CarabinerError('CRB_YAML_MALFORMED', `${file} is not valid JSON`, { cause: error })
  }
}

async function readFile(file: string, context: CliContext): Promise<string> {
  if ((await context.runtime.files.facts(file)) === undefined) {
    throw new CarabinerError('CRB_FILE_NOT_FOUND', `${file} does not exist`)
  }
  return context.runtime.files.readText(file)
}

function localZone(seconds: number): { offset: number; name: string } {
  const date = new Date(seconds * 1000)
  if (Number.isNaN(date.getTime())) return { offset: 0, name: 'UTC' }
  const parts = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }).formatToParts(date)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC'
  return { offset: -date.getTimezoneOffset() * 60, name }
}
