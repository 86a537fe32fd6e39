/** The environment of hooks: the one of the operator, and the path of the bash framework. */
import type { Runtime } from '../../runtime/index.ts'

export function hookEnvironment(
  inherited: Runtime['env'],
  frameworkDir: string | undefined,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(inherited)) if (value !== undefined) env[name] = value
  return frameworkDir === undefined ? env : { ...env, FRAMEWORK_DIR: frameworkDir }
}
