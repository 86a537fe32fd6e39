/** The values of all modules, in memory: static values, then the ConfigMap, then the patches of hooks. */
import type { Operation } from '../../../patch/index.ts'
import type { JsonObject } from '../../../runtime/index.ts'
import { globalKey, moduleOfFlag } from './keys.ts'
import { mergeLayers } from './merge.ts'
import { applyOperation, readValuesPatch, toPlainOperations, type ValuesPatch } from './patch.ts'
import { type RecordedOperation, recordOperation, replay } from './recorded-operations.ts'
import type { Sections } from './sections.ts'

/** The contents of a hook's values files. */
export interface ValuesFiles {
  readonly values: string
  readonly configValues: string
}

/** The patches of a hook after validation. */
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
  readonly #recorded = new Map<string, readonly RecordedOperation[]>()
  readonly #dynamicFlags = new Map<string, boolean>()
  #config: Sections = { sections: {}, flags: {} }
  #enabledModules: readonly string[] = []

  constructor(statics: Sections) {
    this.#static = statics
  }

  setConfig(config: Sections): void {
    this.#config = config
  }

  /** The names in order; hooks see them as `global.enabledModules`. */
  setEnabledModules(names: readonly string[]): void {
    this.#enabledModules = names
  }

  /** The flags set by global hooks, by key of the module. */
  get dynamicFlags(): Readonly<Record<string, boolean>> {
    return Object.fromEntries(this.#dynamicFlags)
  }

  files(owner: string, enabledModules?: readonly string[]): ValuesFiles {
    const values = JSON.stringify(this.effective(owner, enabledModules))
    return { values, configValues: JSON.stringify(this.config(owner)) }
  }

  /** The values of a module: its own and the global ones. */
  effective(owner: string, enabledModules = this.#enabledModules): JsonObject {
    const { [globalKey]: shared, ...own } = this.#merged(owner, this.#config)
    return { [globalKey]: { ...(shared as JsonObject), enabledModules }, ...own }
  }

  /** Only the values from the ConfigMap. */
  config(owner: string): JsonObject {
    return this.#configOf(owner, this.#config)
  }

  /** The recorded operations of hooks, in order. */
  patches(owner: string): readonly Operation[] {
    return (this.#recorded.get(owner) ?? []).map(({ operation }) => operation)
  }

  /** Drops the patches of a disabled module. */
  forget(owner: string): void {
    this.#recorded.delete(owner)
  }

  /** Validates patches without applying them. @throws `CRB_VALUES_PATCH_REFUSED` */
  review(owner: string, texts: ValuesFiles): ReviewedPatches {
    const config = readValuesPatch(texts.configValues, configFile, owner)
    const values = readValuesPatch(texts.values, valuesFile, owner)
    let patched = this.#configOf(owner, this.#config)
    for (const operation of config.operations) patched = applyOperation(patched, operation, configFile, owner)
    const sections = { ...this.#config.sections, ...(patched as Sections['sections']) }
    this.#recordAll(owner, values.operations, { ...this.#config, sections })
    return { owner, values, config }
  }

  /** Applies all but the ConfigMap patches, which the caller writes. */
  apply({ owner, values }: Pick<ReviewedPatches, 'owner' | 'values'>): void {
    this.#recorded.set(owner, this.#recordAll(owner, values.operations, this.#config))
    for (const [flag, value] of Object.entries(values.flags)) {
      const key = moduleOfFlag(flag) ?? flag
      if (value === undefined) this.#dynamicFlags.delete(key)
      else this.#dynamicFlags.set(key, value)
    }
  }

  #recordAll(owner: string, operations: readonly Operation[], config: Sections): readonly RecordedOperation[] {
    let kept = this.#recorded.get(owner) ?? []
    let document = this.#merged(owner, config)
    for (const operation of operations) {
      const before = document
      document = applyOperation(before, operation, valuesFile, owner)
      let between = before
      for (const step of toPlainOperations(operation, before)) {
        const after = applyOperation(between, step, valuesFile, owner)
        kept = recordOperation(kept, step, between, after)
        between = after
      }
    }
    return kept
  }

  #merged(owner: string, config: Sections): JsonObject {
    const keys = owner === globalKey ? [globalKey] : [globalKey, owner]
    const layers = keys.map((key) => {
      const section = mergeLayers(this.#static.sections[key], config.sections[key])
      const patched = replay({ [key]: section }, this.#recorded.get(key) ?? [])
      return [key, patched[key] ?? {}] as const
    })
    return Object.fromEntries(layers)
  }

  #configOf(owner: string, { sections }: Sections): JsonObject {
    const keys = owner === globalKey ? [globalKey] : [globalKey, owner]
    return Object.fromEntries(keys.map((key) => [key, sections[key] ?? {}]))
  }
}
