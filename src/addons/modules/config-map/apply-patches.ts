/**
 * Applies the values patches of a run: first those for the ConfigMap, then the others in memory. When a patch is refused or the ConfigMap
 * cannot be written, the run fails and no patch is kept.
 */
import { equal } from '../../../patch/index.ts'
import type { Json } from '../../../runtime/index.ts'
import type { Values, ValuesFiles } from '../values/values.ts'
import type { ConfigMapSource } from './source.ts'

export interface AppliedPatches {
  /** The values of the owner differ. */
  readonly changed: boolean
  /** A global hook enabled or disabled modules. */
  readonly flagsChanged: boolean
}

/** @param owner `global`, or the key of a module */
export async function applyPatches(
  { values, configMap }: { readonly values: Values; readonly configMap: ConfigMapSource },
  owner: string,
  texts: ValuesFiles,
  signal: AbortSignal,
): Promise<AppliedPatches> {
  if (texts.values === '' && texts.configValues === '') return { changed: false, flagsChanged: false }
  const reviewed = values.review(owner, texts)
  const before = stateOf(values, configMap, owner)
  const { operations, flags } = reviewed.config
  if (operations.length > 0 || Object.keys(flags).length > 0) {
    await configMap.save(owner, reviewed.config, signal)
    values.setConfig(configMap.state)
  }
  values.apply(reviewed)
  const after = stateOf(values, configMap, owner)
  return { changed: !equal(before.values, after.values), flagsChanged: !equal(before.flags, after.flags) }
}

function stateOf(values: Values, configMap: ConfigMapSource, owner: string): Record<'values' | 'flags', Json> {
  return {
    values: [values.effective(owner), values.config(owner)],
    flags: [values.dynamicFlags, configMap.state.flags],
  }
}
