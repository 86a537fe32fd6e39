/**
 * Public face of modules: folders of hooks, a chart or both, with values from files, a ConfigMap and hooks, beside global hooks. All of them run in
 * the engine of script hooks.
 */
import { type HookLayout, type ScriptsOptions, scriptsSurface } from '../scripts/index.ts'
import { conductModules } from './conductor.ts'
import type { ModuleHelmSettings } from './helm/helm.ts'

export interface ModulesOptions extends ScriptsOptions {
  readonly place: Extract<HookLayout, { layout: 'document' }>
  readonly modules: {
    /** Folders of modules; what is not there holds none. */
    readonly dirs: readonly string[]
    /** Order of modules without a number; unless given, every module must have one. */
    readonly unnumbered?: number
    /** Whether a module is on that nobody said anything about. */
    readonly isOnByDefault: boolean
  }
  readonly configMap: { readonly namespace: string; readonly name: string }
  readonly helm: ModuleHelmSettings
  /** A release that is never removed, such as that of the operator itself. @default none */
  readonly ignoredRelease?: string
}

/** The plug for the operator. */
export function modulesSurface(options: ModulesOptions) {
  return scriptsSurface(options, (context) => conductModules(options, context))
}
