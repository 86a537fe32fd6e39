/** `carabiner hook`: script hooks, those of a running operator and those in a folder. */
import { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { snapshotCommand } from './snapshot.ts'

export function command(context: CliContext): Command {
  return new Command('hook').description('Script hooks').addCommand(snapshotCommand(context))
}
