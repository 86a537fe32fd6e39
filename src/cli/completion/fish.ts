/** The completion script for fish, with the summaries of commands and options. */
import type { Flag, Point } from './points.ts'

export function fish(points: readonly Point[]): string {
  const paths = points.filter(({ path }) => path !== '').map(({ path }) => quoted(path))
  const valued = points.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .flatMap(({ names }) => names.map((name) => quoted(`${path} ${name}`))),
  )
  return `# fish completion of carabiner
set -g __carabiner_paths ${paths.join(' ')}
set -g __carabiner_valued ${valued.join(' ')}
# Whether these are the commands before the cursor; values of options are skipped.
function __carabiner_at
    set -l path ''
    set -l is_value no
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if test $is_value = yes
            set is_value no
        else if string match -q -- '-*' $word
            contains -- "$path $word" $__carabiner_valued; and set is_value yes
        else if contains -- (string trim -- "$path $word") $__carabiner_paths
            set path (string trim -- "$path $word")
        end
    end
    test "$path" = "$argv"
end
${points.flatMap(linesOf).join('\n')}
`
}

function linesOf({ path, commands, options }: Point): readonly string[] {
  const here = `complete -c carabiner -n ${quoted(`__carabiner_at ${path}`.trim())}`
  return [
    ...commands.map(({ name, summary }) => `${here} -f -a ${quoted(name)} -d ${quoted(summary)}`),
    ...options.map((option) => `${here} ${flagWords(option)} -d ${quoted(option.summary)}`),
  ]
}

function flagWords({ names, takesValue, choices }: Flag): string {
  const words = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  if (choices.length > 0) return [...words, '-x', '-a', quoted(choices.join(' '))].join(' ')
  return [...words, ...(takesValue ? ['-r'] : [])].join(' ')
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}
