/** `carabiner completion SHELL`: scripts made from the very commands and options the program has. */
import { Command } from 'commander'
import { CarabinerError } from '../../runtime/errors.ts'
import type { CliContext } from '../context.ts'
import { buildProgram } from '../program.ts'

interface Words {
  /** Commands after `carabiner`, for example `cron next`; empty for the program itself. */
  readonly path: string
  readonly words: readonly string[]
}

export function command(context: CliContext): Command {
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
      context.stdout.write(script(collect(await buildProgram(context, 'every command'), '')))
    })
}

const scripts: Readonly<Record<string, (all: readonly Words[]) => string>> = { bash, zsh, fish }

function collect(program: Command, path: string): Words[] {
  const names = program.commands.map((child) => child.name())
  const options = program.options.flatMap((option) => [option.long, option.short]).filter((flag) => flag != null)
  const own = { path, words: [...names, ...options, '--help'] }
  return [own, ...program.commands.flatMap((child) => collect(child, `${path} ${child.name()}`.trim()))]
}

function bash(all: readonly Words[]): string {
  const cases = all.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`).join('\n')
  return `# bash completion of carabiner
_carabiner() {
  local path='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases}
    *) return ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _carabiner carabiner
`
}

function zsh(all: readonly Words[]): string {
  return `#compdef carabiner\nautoload -U +X bashcompinit && bashcompinit\n${bash(all)}`
}

function fish(all: readonly Words[]): string {
  const lines = all.flatMap(({ path, words }) => {
    const condition =
      path === ''
        ? '__fish_use_subcommand'
        : path
            .split(' ')
            .map((word) => `__fish_seen_subcommand_from ${word}`)
            .join('; and ')
    return [`complete -c carabiner -n '${condition}' -a '${words.join(' ')}'`]
  })
  return `# fish completion of carabiner\ncomplete -c carabiner -f\n${lines.join('\n')}\n`
}
