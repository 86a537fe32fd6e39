/**
 * Public face of modules: folders of hooks, a chart or both, with values from files, a ConfigMap and hooks, beside global hooks. All of them run in
 * the engine of script hooks.
 */
import { scriptsSurface } from '../scripts/index.ts'
import { conductModules } from './conductor.ts'
import type { ModulesOptions } from './options.ts'

export type { ModulesOptions } from './options.ts'

/** The plug for the operator. */
export function modulesSurface(options: ModulesOptions) {
  return scriptsSurface(options, (context) => conductModules(options, context))
}
