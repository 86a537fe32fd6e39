/** Conversion chains between versions of a resource: the conversions of all hooks are edges of a graph, and the shortest path is used. */
import type { ConversionBinding } from '../config/types.ts'
import type { Hook } from '../hook.ts'

export interface ConversionStep {
  readonly hook: Hook
  readonly binding: ConversionBinding
  /** As written in the hook's configuration. */
  readonly rule: ConversionBinding['conversions'][number]
  /** With group: `group/version`. */
  readonly from: string
  readonly to: string
}

export class ConversionChains {
  readonly #steps = new Map<string, ConversionStep[]>()

  /** Names of CustomResourceDefinitions, sorted. */
  readonly definitions: readonly string[]

  constructor(hooks: readonly Hook[]) {
    for (const hook of hooks) for (const binding of hook.config.conversions) this.#add(hook, binding)
    this.definitions = [...this.#steps.keys()].toSorted()
  }

  /** Empty when both versions are the same, undefined without a chain. Of chains with equal length the one whose hooks come first. */
  find(crdName: string, from: string, to: string): readonly ConversionStep[] | undefined {
    const steps = this.#steps.get(crdName) ?? []
    const chains = new Map<string, readonly ConversionStep[]>([[from, []]])
    // Breadth-first search: the map grows during the iteration.
    for (const [version, chain] of chains) {
      if (version === to) return chain
      for (const step of steps) if (step.from === version && !chains.has(step.to)) chains.set(step.to, [...chain, step])
    }
    return undefined
  }

  /**
   * Conversions without a chain back. The API server needs both directions, because it converts stored objects for reads and for its own
   * watches.
   */
  oneWay(): readonly { readonly definition: string; readonly from: string; readonly to: string }[] {
    return this.definitions.flatMap((definition) =>
      (this.#steps.get(definition) ?? [])
        .filter(({ from, to }) => this.find(definition, to, from) === undefined)
        .map(({ from, to }) => ({ definition, from, to })),
    )
  }

  #add(hook: Hook, binding: ConversionBinding): void {
    const { crdName, conversions } = binding
    const group = crdName.slice(crdName.indexOf('.') + 1)
    const full = (version: string) => (version.includes('/') ? version : `${group}/${version}`)
    const steps = conversions.map((rule) => {
      const { fromVersion, toVersion } = rule
      return { hook, binding, rule, from: full(fromVersion), to: full(toVersion) }
    })
    this.#steps.set(crdName, [...(this.#steps.get(crdName) ?? []), ...steps])
  }
}
