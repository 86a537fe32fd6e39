#!/usr/bin/env bash
# The bash framework for hooks. A hook sources this file, defines __config__ and its handlers, and ends with: hook::run "$@"
# It needs bash 4 and jq.

set -Eeuo pipefail

# Prints a stack trace of a failed command. A failure of the caller of a handler is skipped, because the handler has printed one.
hook::_traceback() {
  local status=$? frame
  [[ "${FUNCNAME[1]:-}" == hook::run || "${FUNCNAME[1]:-}" == hook::_run_first_available_handler ]] && return 0
  printf 'ERROR: command failed with status %s: %s\n' "$status" "$BASH_COMMAND" >&2
  for ((frame = 1; frame < ${#FUNCNAME[@]}; frame++)); do
    printf '  at %s (%s:%s)\n' "${FUNCNAME[frame]}" "${BASH_SOURCE[frame]}" "${BASH_LINENO[frame - 1]}" >&2
  done
}
trap hook::_traceback ERR

# One line for each context: its binding and the names of its handlers, the most specific first, separated by tabs. No function has a name with
# blanks.
hook::_contexts() {
  jq -r '
    def events($binding; $event):
      "__on_kubernetes::\($binding)::" as $start
      | ({added: ["added", "added_or_modified"], modified: ["modified", "added_or_modified"], deleted: ["deleted"]}[$event] // [])
      | map($start + .);
    def handlers:
      (.binding // "unknown") as $binding
      | if .type == "Synchronization" then ["__on_kubernetes::\($binding)::synchronization", "__on_kubernetes::\($binding)"]
        elif .type == "Event" then events($binding; .watchEvent | ascii_downcase) + ["__on_kubernetes::\($binding)"]
        elif .type == "Group" then ["__on_group::\(.groupName)"]
        elif .type == "Schedule" then ["__on_schedule::\($binding)"]
        elif .type == "Validating" then ["__on_validating::\($binding)"]
        elif .type == "Mutating" then ["__on_mutating::\($binding)"]
        elif .type == "Conversion" then
          ([.fromVersion, .toVersion] | map(gsub("/"; ".")) | join("::")) as $versions
          | ["__on_conversion::\($binding)::\($versions)", "__on_conversion::\($binding)"]
        elif $binding == "onStartup" then ["__on_startup"]
        elif .resourceEvent then
          events($binding; {add: "added", update: "modified", delete: "deleted"}[.resourceEvent] // "")
          + ["__on_kubernetes::\($binding)"]
        else ["__on_schedule::\($binding)"]
        end;
    .[] | [.binding // "unknown"] + (handlers | map(select(test("[ \\t\\n]") | not))) + ["__main__"] | @tsv' "$BINDING_CONTEXT_PATH"
}

# The names of the handlers of the current context, one in a line. Libraries with a hook::run of their own call this function.
hook::_get_possible_handler_names() {
  hook::_contexts | jq -Rnr --argjson index "$BINDING_CONTEXT_CURRENT_INDEX" '[inputs][$index] | split("\t")[1:-1][]'
}

# Calls the first defined function of a list separated by blanks, in its own subshell. Such libraries call it, too.
hook::_run_first_available_handler() {
  local handler
  local -a handlers
  read -r -d '' -a handlers <<<"$1" || true
  for handler in "${handlers[@]}"; do
    if declare -F "$handler" >/dev/null; then
      ("$handler")
      return
    fi
  done
  printf 'ERROR: none of these functions is defined: %s\n' "${handlers[*]}" >&2
  return 1
}

# Prints the configuration, or calls the first defined handler of each context in its own subshell.
hook::run() {
  if [[ "${1:-}" == "--config" ]]; then
    if ! declare -F __config__ >/dev/null; then
      printf 'ERROR: %s defines no function __config__\n' "$0" >&2
      exit 1
    fi
    __config__
    # Do not run the commands after hook::run.
    exit 0
  fi
  local contexts line index=0
  local -a words
  contexts="$(hook::_contexts)"
  while IFS= read -r -u 3 line; do
    [[ -n "$line" ]] || continue
    IFS=$'\t' read -r -a words <<<"$line"
    export BINDING_CONTEXT_CURRENT_INDEX="$index"
    export BINDING_CONTEXT_CURRENT_BINDING="${words[0]}"
    hook::_run_first_available_handler "${words[*]:1}" 3<&-
    index=$((index + 1))
  done 3<<<"$contexts"
}

# jq over all contexts.
context::global::jq() {
  jq "$@" "$BINDING_CONTEXT_PATH"
}

# jq over the current context.
context::jq() {
  context::global::jq ".[$BINDING_CONTEXT_CURRENT_INDEX]" | jq "$@"
}

# A dotted path as a JSON array: a.'b.c'.0 becomes ["a","b.c",0]. Quoted keys may contain dots.
context::_path() {
  jq -cn --arg path "${1:-}" '
    [$path | scan("\u0027[^\u0027]*\u0027|\"[^\"]*\"|[^.]+")
      | if test("^[\u0027\"]") then .[1:-1] elif test("^[0-9]+$") then tonumber else . end]'
}

# Prints the value at a path, strings without quotes; "null" when it is missing. With --required a missing value is an error.
context::get() {
  local required=no
  if [[ "${1:-}" == "--required" ]]; then
    required=yes
    shift
  fi
  if [[ "$required" == "yes" ]] && ! context::has "${1:-}"; then
    printf 'ERROR: there is no value at %s\n' "${1:-}" >&2
    return 1
  fi
  context::jq -r --argjson path "$(context::_path "${1:-}")" 'getpath($path)'
}

# Whether a value exists at a path; null counts as existing.
context::has() {
  context::jq -e --argjson path "$(context::_path "${1:-}")" '
    if $path == [] then true
    else (try getpath($path[:-1]) catch null)
      | . as $parent
      | $path[-1] as $key
      | ($parent | type) as $type
      | if $type == "object" then has($key | tostring)
        elif $type == "array" and ($key | type) == "number" then has($key)
        else false
        end
    end' >/dev/null
}

context::_is() {
  context::jq -e --argjson path "$(context::_path "${2:-}")" "getpath(\$path) == $1" >/dev/null
}

context::is_true() {
  context::_is true "${1:-}"
}

context::is_false() {
  context::_is false "${1:-}"
}

context::is_null() {
  context::_is null "${1:-}"
}
