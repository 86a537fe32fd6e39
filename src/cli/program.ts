/** Builds the program. Only the command in use is loaded; the others appear in the overview by name and summary. */
import { Command, CommanderError, Option } from 'commander'
import { type CommandEntry, commands } from './commands.ts'
import type { CliContext } from './context.ts'
import { asStarted } from './program-name.ts'
import { programVersion } from './program-version.ts'
import { colourChoices } from './terminal/display.ts'

/** The program with the command of `argv` loaded, or with all of them. */
export async function buildProgram(
  context: CliContext,
  wanted: string | 'every command' | undefined,
): Promise<Command> {
  const program = new Command(context.programName)
    .description('Hooks with a gate for Kubernetes: at points of a rollout, on cluster events, in deployers.')
    .option('--debug', 'show the stacks of errors and log at level debug')
    .addOption(
      new Option('--color <when>', 'colours: auto (on a terminal, unless NO_COLOR is set), always or never')
        .choices(colourChoices)
        .default('auto'),
    )
    .option('--version', 'print the version of this program')
    .on('option:version', () => {
      context.stdout.write(`${programVersion()}\n`)
      throw new CommanderError(0, 'commander.version', '')
    })
    .helpCommand('help [command]', 'Show help for a command')
    .addHelpText(
      'after',
      `\nStart here:\n  ${context.programName} up        a cluster for trying, in one process, in a second\n`,
    )
  for (const entry of commands) program.addCommand(await commandFor(context, entry, wanted))
  return program
}

async function commandFor(context: CliContext, entry: CommandEntry, wanted: string | undefined): Promise<Command> {
  const isWanted = wanted === 'every command' || wanted === entry.name
  const command = isWanted
    ? (await entry.load()).command(context, () => buildProgram(context, 'every command'))
    : new Command(entry.name)
  return command.summary(entry.summary).helpGroup(`${entry.group}:`)
}

/** Makes all commands write through the context and throw instead of ending the process. */
export function connect(program: Command, context: CliContext): void {
  program.exitOverride().configureOutput({
    writeOut: (text) => context.stdout.write(asStarted(text, context)),
    writeErr: (text) => context.stderr.write(asStarted(text, context)),
    getOutHelpWidth: () => context.stdout.columns,
    getErrHelpWidth: () => context.stderr.columns,
    getOutHasColors: () => context.stdout.hasColours ?? false,
    getErrHasColors: () => context.stderr.hasColours ?? false,
  })
  program.showHelpAfterError(`(see ${fullName(program)} --help)`)
  for (const command of program.commands) connect(command, context)
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
}
