/** What modules are configured with. */
import type { HookLayout, ScriptsOptions } from '../scripts/index.ts'
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
