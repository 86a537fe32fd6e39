/** `carabiner completion SHELL`: scripts generated from the commands and options of the program. */
import { Command } from 'commander'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { bash, zsh } from './bash.ts'
import { fish } from './fish.ts'
import { type Point, pointsOf } from './points.ts'

export function command(context: CliContext, wholeProgram: () => Promise<Command>): Command {
  return new Command('completion')
    .description('Prints a completion script.')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText(
      'after',
      `
Examples:
  source <(carabiner completion bash)                                   this shell only
  carabiner completion bash > /etc/bash_completion.d/carabiner          every bash
  carabiner completion zsh > "\${fpath[1]}/_carabiner"                    every zsh
  carabiner completion fish > ~/.config/fish/completions/carabiner.fish every fish
`,
    )
    .action(async (shell: string) => {
      const script = scripts[shell]
      if (script === undefined) {
        throw new CarabinerError('CRB_USAGE', `completion: no script for ${JSON.stringify(shell)}`, {
          remedy: 'Choose bash, zsh or fish.',
        })
      }
      context.stdout.write(script(pointsOf(await wholeProgram())))
    })
}

const scripts: Readonly<Record<string, (points: readonly Point[]) => string>> = { bash, zsh, fish }
