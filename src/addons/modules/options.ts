/** Options of the modules surface. */
import type { HookLayout, ScriptsOptions } from '../scripts/index.ts'
import type { ModuleHelmSettings } from './helm/helm.ts'

export interface ModulesOptions extends ScriptsOptions {
  readonly place: Extract<HookLayout, { layout: 'document' }>
  readonly modules: {
    /** Folders with modules; missing ones are ignored. */
    readonly dirs: readonly string[]
    /** The order of modules without a number. @default every module must have a number */
    readonly unnumbered?: number
    /** Whether modules without a flag are enabled. */
    readonly isOnByDefault: boolean
  }
  readonly configMap: { readonly namespace: string; readonly name: string }
  readonly helm: ModuleHelmSettings
  /** A release that is never removed, such as the one of the operator itself. @default none */
  readonly ignoredRelease?: string
}
