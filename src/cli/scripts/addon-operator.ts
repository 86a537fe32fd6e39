/**
 * What a folder of addon-operator brings along for its modules. Only global hooks are run here: whatever is meant for modules is told of, so that
 * nobody waits for it.
 */
import type { Files } from '../../runtime/files.ts'
import type { ResolvedScripts } from './resolve.ts'

/** Variables about modules and their releases. */
const variables = [
  'ADDON_OPERATOR_MODULES_DIR',
  'MODULES_DIR',
  'ADDON_OPERATOR_CONFIG_MAP',
  'ADDON_OPERATOR_UNNUMBERED_MODULES_ORDER',
  'ADDON_OPERATOR_APPLIED_MODULE_EXTENDERS',
  'ADDON_OPERATOR_STRICT_CHECK_VALUES_MODE_ENABLED',
  'HELM_IGNORE_RELEASE',
  'HELM_HISTORY_MAX',
  'HELM_TIMEOUT',
]

/** What is given for modules, and a folder of them. */
export async function idleForModules(
  workingDir: string,
  env: Readonly<Record<string, string | undefined>>,
  files: Files,
): Promise<ResolvedScripts['idle']> {
  const reason = 'modules are not run, only global hooks are'
  const given = variables.filter((name) => (env[name] ?? '') !== '')
  const folder = `${workingDir}/modules`
  const hasFolder = (await files.facts(folder))?.kind === 'directory'
  return [
    ...given.map((name) => ({ name: `environment variable ${name}`, reason })),
    ...(hasFolder ? [{ name: `folder ${folder}`, reason }] : []),
  ]
}
