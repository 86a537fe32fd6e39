/**
 * The values of all modules: what came with them, over it what the ConfigMap says, over it what hooks asked for. Where the ConfigMap is and who runs
 * hooks is not known here; everything happens in memory.
 */
import type { Operation } from '../../../patch/operation.ts'
import type { JsonObject } from '../../../runtime/json.ts'
import { globalKey, switchedBy } from './keys.ts'
import { mergeLayers } from './merge.ts'
import { applyTo, plainSteps, readValuesPatch, type ValuesPatch } from './patch.ts'
import { type Remembered, remember, replay } from './remembered.ts'
import type { Sections } from './sections.ts'

/** Texts for the files of a hook. */
export interface ValuesFiles {
  readonly values: string
  readonly configValues: string
}

/** What a hook asked for, fit to be done. */
export interface ReviewedPatches {
  /** `global`, or the key of a module. */
  readonly owner: string
  readonly values: ValuesPatch
  readonly config: ValuesPatch
}

const valuesFile = 'VALUES_JSON_PATCH_PATH'
const configFile = 'CONFIG_VALUES_JSON_PATCH_PATH'

export class Values {
  readonly #static: Sections
  readonly #remembered = new Map<string, readonly Remembered[]>()
  readonly #dynamicFlags = new Map<string, boolean>()
  #config: Sections = { sections: {}, flags: {} }
  #enabledModules: readonly string[] = []

  constructor(statics: Sections) {
    this.#static = statics
  }

  setConfig(config: Sections): void {
    this.#config = config
  }

  /** By name, in their order; hooks find them as `global.enabledModules`. */
  setEnabledModules(names: readonly string[]): void {
    this.#enabledModules = names
  }

  /** How global hooks switched modules, by key of the module. */
  get dynamicFlags(): Readonly<Record<string, boolean>> {
    return Object.fromEntries(this.#dynamicFlags)
  }

  files(owner: string, enabledModules?: readonly string[]): ValuesFiles {
    const values = JSON.stringify(this.effective(owner, enabledModules))
    return { values, configValues: JSON.stringify(this.config(owner)) }
  }

  /** All that holds for a module: its own values and those for all. */
  effective(owner: string, enabledModules = this.#enabledModules): JsonObject {
    const { [globalKey]: shared, ...own } = this.#merged(owner, this.#config)
    return { [globalKey]: { ...(shared as JsonObject), enabledModules }, ...own }
  }

  /** The part of the ConfigMap alone. */
  config(owner: string): JsonObject {
    return this.#configOf(owner, this.#config)
  }

  /** What hooks changed and is in force, in the order it is applied. */
  patches(owner: string): readonly Operation[] {
    return (this.#remembered.get(owner) ?? []).map(({ operation }) => operation)
  }

  /** A module that is switched on again begins anew. */
  forget(owner: string): void {
    this.#remembered.delete(owner)
  }

  /** Changes nothing. @throws `CRB_VALUES_PATCH_REFUSED` */
  review(owner: string, texts: ValuesFiles): ReviewedPatches {
    const config = readValuesPatch(texts.configValues, configFile, owner)
    const values = readValuesPatch(texts.values, valuesFile, owner)
    let patched = this.#configOf(owner, this.#config)
    for (const operation of config.operations) patched = applyTo(patched, operation, configFile, owner)
    const sections = { ...this.#config.sections, ...(patched as Sections['sections']) }
    this.#remember(owner, values.operations, { ...this.#config, sections })
    return { owner, values, config }
  }

  /** Those for the ConfigMap are left to whoever writes it. */
  keep({ owner, values }: Pick<ReviewedPatches, 'owner' | 'values'>): void {
    this.#remembered.set(owner, this.#remember(owner, values.operations, this.#config))
    for (const [flag, value] of Object.entries(values.flags)) {
      const key = switchedBy(flag) ?? flag
      if (value === undefined) this.#dynamicFlags.delete(key)
      else this.#dynamicFlags.set(key, value)
    }
  }

  #remember(owner: string, operations: readonly Operation[], config: Sections): readonly Remembered[] {
    let kept = this.#remembered.get(owner) ?? []
    let document = this.#merged(owner, config)
    for (const operation of operations) {
      const before = document
      document = applyTo(before, operation, valuesFile, owner)
      let between = before
      for (const step of plainSteps(operation, before)) {
        const after = applyTo(between, step, valuesFile, owner)
        kept = remember(kept, step, between, after)
        between = after
      }
    }
    return kept
  }

  #merged(owner: string, config: Sections): JsonObject {
    const keys = owner === globalKey ? [globalKey] : [globalKey, owner]
    const layers = keys.map((key) => {
      const section = mergeLayers(this.#static.sections[key], config.sections[key])
      const patched = replay({ [key]: section }, this.#remembered.get(key) ?? [])
      return [key, patched[key] ?? {}] as const
    })
    return Object.fromEntries(layers)
  }

  #configOf(owner: string, { sections }: Sections): JsonObject {
    const keys = owner === globalKey ? [globalKey] : [globalKey, owner]
    return Object.fromEntries(keys.map((key) => [key, sections[key] ?? {}]))
  }
}
