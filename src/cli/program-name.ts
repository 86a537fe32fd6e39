/** The name of the program in help and hints; it depends on how the program was started. */

/** `file` is the path of the program; `script` is the npm script, if npm runs it. */
export function programNameOf(file: string, script: string | undefined): string {
  if (file.split(/[\\/]/).at(-1)?.startsWith('kubectl-') === true) return 'kubectl carabiner'
  // In a checkout the program is not on PATH.
  return script === 'start' || script === 'npx' ? 'npx carabiner' : 'carabiner'
}
