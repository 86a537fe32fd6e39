/**
 * Ways from one version of a resource to another: the rules of all hooks are the edges of a graph, and the shortest way through it is taken.
 */
import type { ConversionBinding } from '../config/types.ts'
import type { Hook } from '../hook.ts'

export interface ConversionStep {
  readonly hook: Hook
  readonly binding: ConversionBinding
  /** As the hook wrote it. */
  readonly rule: ConversionBinding['conversions'][number]
  /** Full, `group/version`. */
  readonly from: string
  readonly to: string
}

export class ConversionChains {
  readonly #steps = new Map<string, ConversionStep[]>()

  /** Names of definitions, sorted. */
  readonly definitions: readonly string[]

  constructor(hooks: readonly Hook[]) {
    for (const hook of hooks) for (const binding of hook.config.conversions) this.#add(hook, binding)
    this.definitions = [...this.#steps.keys()].toSorted()
  }

  /** Empty when both are the same, undefined when there is no way. Of equally short ones the one whose hooks come first. */
  find(crdName: string, from: string, to: string): readonly ConversionStep[] | undefined {
    const steps = this.#steps.get(crdName) ?? []
    const ways = new Map<string, readonly ConversionStep[]>([[from, []]])
    // Grows while it is walked: versions come in the order of their distance.
    for (const [version, way] of ways) {
      if (version === to) return way
      for (const step of steps) if (step.from === version && !ways.has(step.to)) ways.set(step.to, [...way, step])
    }
    return undefined
  }

  /** Rules without a way back: an API server converts what it has stored for whoever asks in another version, and for its own watches. */
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
