/**
 * Public API of modules: folders with hooks, a chart or both, with values from files, a ConfigMap and hooks, beside global hooks. All hooks
 * run in the engine of script hooks.
 */
import { scriptsSurface } from '../scripts/index.ts'
import { createModuleHost } from './host.ts'
import type { ModulesOptions } from './options.ts'

export type { ModulesOptions } from './options.ts'

/** The operator surface. */
export function modulesSurface(options: ModulesOptions) {
  return scriptsSurface(options, (context) => createModuleHost(options, context))
}
