/** Policies as the engine reads them, compiled once per generation: only a change of the spec raises the generation. */
import { type CompiledPolicy, compilePolicy, type PolicyProblem } from '../policy/compile.ts'
import type { RolloutPolicy } from '../policy/types.ts'

type Compiled = CompiledPolicy | { readonly problems: readonly PolicyProblem[] }

/** More policies than these are compiled again each time they are observed. */
const maxPolicies = 2000

export class CompiledPolicies {
  readonly #known = new Map<string, Compiled>()

  of({ metadata: { uid, generation }, spec }: RolloutPolicy): Compiled {
    if (uid === undefined || generation === undefined) return compilePolicy(spec)
    const key = `${uid}/${generation}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const compiled = compilePolicy(spec)
    this.#known.set(key, compiled)
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxPolicies && oldest !== undefined) this.#known.delete(oldest)
    return compiled
  }
}
