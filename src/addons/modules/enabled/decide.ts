/**
 * Decides which modules are enabled. Later sources take precedence: the default, the static values, global hooks, the ConfigMap. After that
 * the module's enabled script may disable it, knowing which modules before it are enabled.
 */
import type { Module } from '../discovery/module.ts'

/** By key of the module. */
export type ModuleFlags = Readonly<Record<string, boolean>>

export interface EnablingFlags {
  /** For modules without a flag. */
  readonly byDefault: boolean
  readonly static: ModuleFlags
  readonly dynamic: ModuleFlags
  readonly config: ModuleFlags
}

export interface Decision {
  readonly module: Module
  readonly enabled: boolean
  /** The source that decided. */
  readonly by: 'default' | 'static' | 'dynamic' | 'config' | 'script'
}

/** @param runScript runs the enabled script of the module with the names of the enabled modules before it; rejects when it fails */
export async function decideEnabled(
  modules: readonly Module[],
  flags: EnablingFlags,
  runScript: (module: Module, enabledBefore: readonly string[]) => Promise<boolean>,
): Promise<readonly Decision[]> {
  const decisions: Decision[] = []
  const enabledBefore: string[] = []
  for (const module of modules) {
    let decision = byFlags(module, flags)
    if (decision.enabled && module.enabledScript !== undefined && !(await runScript(module, [...enabledBefore])))
      decision = { module, enabled: false, by: 'script' }
    decisions.push(decision)
    if (decision.enabled) enabledBefore.push(module.name)
  }
  return decisions
}

function byFlags(module: Module, flags: EnablingFlags): Decision {
  for (const by of ['config', 'dynamic', 'static'] as const) {
    const enabled = flags[by][module.key]
    if (enabled !== undefined) return { module, enabled, by }
  }
  return { module, enabled: flags.byDefault, by: 'default' }
}
