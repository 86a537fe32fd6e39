/** What a person types to get this program, for help and hints: it depends on how it was started. */

/** `file` is the path it was started by; `script` what npm says it runs, if npm runs it. */
export function programNameOf(file: string, script: string | undefined): string {
  if (file.split(/[\\/]/).at(-1)?.startsWith('kubectl-') === true) return 'kubectl carabiner'
  // From a checkout it is not on the PATH.
  return script === 'start' || script === 'npx' ? 'npx carabiner' : 'carabiner'
}
