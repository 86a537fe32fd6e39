/**
 * Which modules are on. What is said later counts: what holds for all, what came with the modules, what global hooks said, what the ConfigMap says. After all
 * that a module's own program may still switch it off, knowing which modules before it are on.
 */
import type { Module } from '../discovery/module.ts'

/** By key of the module. */
export type ModuleFlags = Readonly<Record<string, boolean>>

export interface EnablingFlags {
  /** For modules of which nothing is said. */
  readonly byDefault: boolean
  readonly static: ModuleFlags
  readonly dynamic: ModuleFlags
  readonly config: ModuleFlags
}

export interface Decision {
  readonly module: Module
  readonly enabled: boolean
  /** Who had the last word. */
  readonly by: 'default' | 'static' | 'dynamic' | 'config' | 'script'
}

/** @param ask asks the program of the module, with the names of modules that are on before it; rejects when there is no answer. */
export async function decideEnabled(
  modules: readonly Module[],
  flags: EnablingFlags,
  ask: (module: Module, enabledBefore: readonly string[]) => Promise<boolean>,
): Promise<readonly Decision[]> {
  const decisions: Decision[] = []
  const enabledBefore: string[] = []
  for (const module of modules) {
    let decision = byFlags(module, flags)
    if (decision.enabled && module.enabledScript !== undefined && !(await ask(module, [...enabledBefore])))
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
