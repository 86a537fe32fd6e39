/** All positions of a command line at which something can be completed, read from the commands and options of the program. */
import type { Command, Option } from 'commander'

export interface Point {
  /** Commands after `carabiner`, for example `cron next`; empty for the program itself. */
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly summary: string }[]
  readonly options: readonly Flag[]
}

export interface Flag {
  /** With dashes, the long name first. */
  readonly names: readonly string[]
  readonly summary: string
  /** Whether the next word is its value. */
  readonly takesValue: boolean
  /** The allowed values; empty when any value is allowed. */
  readonly choices: readonly string[]
}

export function pointsOf(command: Command, path = ''): readonly Point[] {
  const commands = command.commands.map((child) => ({
    name: child.name(),
    summary: child.summary() || child.description(),
  }))
  const help: Flag = { names: ['--help'], summary: 'display help for command', takesValue: false, choices: [] }
  const own = { path, commands, options: [...command.options.map(flagOf), help] }
  return [own, ...command.commands.flatMap((child) => pointsOf(child, `${path} ${child.name()}`.trim()))]
}

function flagOf({ long, short, description, required, argChoices = [] }: Option): Flag {
  const names = [long, short].filter((name) => name != null)
  return { names, summary: description, takesValue: required, choices: argChoices }
}
