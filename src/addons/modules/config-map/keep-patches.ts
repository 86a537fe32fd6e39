/**
 * What becomes of the values patches of a run: those for the ConfigMap are written to it, then the others are kept. A run whose patches are
 * refused or cannot be written has failed, and nothing of them is kept.
 */
import { equal } from '../../../patch/equal.ts'
import type { Json } from '../../../runtime/json.ts'
import type { Values, ValuesFiles } from '../values/values.ts'
import type { ConfigMapSource } from './source.ts'

export interface KeptPatches {
  /** The owner's values are not what they were. */
  readonly changed: boolean
  /** Modules were switched by a global hook. */
  readonly flagsChanged: boolean
}

/** @param owner `global`, or the key of a module */
export async function keepPatches(
  { values, configMap }: { readonly values: Values; readonly configMap: ConfigMapSource },
  owner: string,
  texts: ValuesFiles,
  signal: AbortSignal,
): Promise<KeptPatches> {
  if (texts.values === '' && texts.configValues === '') return { changed: false, flagsChanged: false }
  const reviewed = values.review(owner, texts)
  const before = stateOf(values, configMap, owner)
  const { operations, flags } = reviewed.config
  if (operations.length > 0 || Object.keys(flags).length > 0) {
    await configMap.save(owner, reviewed.config, signal)
    values.setConfig(configMap.state)
  }
  values.keep(reviewed)
  const after = stateOf(values, configMap, owner)
  return { changed: !equal(before.values, after.values), flagsChanged: !equal(before.flags, after.flags) }
}

function stateOf(values: Values, configMap: ConfigMapSource, owner: string): Record<'values' | 'flags', Json> {
  return {
    values: [values.effective(owner), values.config(owner)],
    flags: [values.dynamicFlags, configMap.state.flags],
  }
}
