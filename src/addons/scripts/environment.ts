/**
 * What every hook inherits: the operator's own environment, and where the bash framework lies.
 */
import type { Runtime } from '../../runtime/runtime.ts'

export function hookEnvironment(
  inherited: Runtime['env'],
  frameworkDir: string | undefined,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(inherited)) if (value !== undefined) env[name] = value
  return frameworkDir === undefined ? env : { ...env, FRAMEWORK_DIR: frameworkDir }
}
