/**
 * The completion script for bash. zsh runs it through bashcompinit, so it uses no syntax that only bash has and no variable named `words`,
 * which zsh reserves.
 */
import type { Point } from './points.ts'

export function bash(points: readonly Point[]): string {
  return `# bash completion of carabiner
# The words that can follow these commands, and the options that take a value.
_carabiner_at() {
  case "$1" in
${points.map(pointCase).join('\n')}
    *) return 1 ;;
  esac
}
_carabiner_values() {
  case "$1" in
${points.flatMap(choiceCases).join('\n')}
    *) return 1 ;;
  esac
}
_carabiner() {
  local carabiner_words='' carabiner_valued='' carabiner_path='' word='' option='' i=1
  _carabiner_at ''
  while [ "$i" -lt "$COMP_CWORD" ]; do
    word="\${COMP_WORDS[$i]}"
    i=$((i + 1))
    if [ -n "$option" ] && [ "$word" != = ]; then option=''; continue; fi
    case "$word" in
      -*) case " $carabiner_valued " in *" $word "*) option="$word" ;; esac ;;
      *) if _carabiner_at "\${carabiner_path:+$carabiner_path }$word"; then carabiner_path="\${carabiner_path:+$carabiner_path }$word"; fi ;;
    esac
  done
  # A value is one of the choices of the option, or else a file.
  if [ -n "$option" ]; then _carabiner_values "$carabiner_path $option" || return 0; fi
  word="\${COMP_WORDS[$COMP_CWORD]}"
  COMPREPLY=($(compgen -W "$carabiner_words" -- "\${word#=}"))
}
complete -o default -F _carabiner carabiner
`
}

export function zsh(points: readonly Point[]): string {
  return `#compdef carabiner
autoload -U +X bashcompinit && bashcompinit
${bash(points)}# When zsh loads this file at the first completion, it also has to answer that completion.
if [ "\${funcstack[1]}" = _carabiner ]; then _bash_complete -o default -F _carabiner; fi
`
}

function pointCase({ path, commands, options }: Point): string {
  const words = [...commands.map(({ name }) => name), ...options.flatMap(({ names }) => names)]
  const valued = options.filter(({ takesValue }) => takesValue).flatMap(({ names }) => names)
  return `    '${path}') carabiner_words='${words.join(' ')}'; carabiner_valued='${valued.join(' ')}' ;;`
}

function choiceCases({ path, options }: Point): readonly string[] {
  return options
    .filter(({ choices }) => choices.length > 0)
    .map(({ names, choices }) => {
      const cases = names.map((name) => `'${path} ${name}'`).join('|')
      return `    ${cases}) carabiner_words='${choices.join(' ')}' ;;`
    })
}
