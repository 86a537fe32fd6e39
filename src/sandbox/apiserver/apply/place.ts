/**
 * Where a walk over a value stands, and the sets it fills there. A set below the root comes into being when something is put into
 * it, so that the places a walk only passes through cost nothing.
 */
import type { Element } from './element.ts'
import { FieldSet } from './field-set.ts'

export class Place<Outcome extends string> {
  readonly #parent: Place<Outcome> | undefined
  readonly #element: Element
  #sets: { [K in Outcome]?: FieldSet } | undefined

  private constructor(parent: Place<Outcome> | undefined, element: Element) {
    this.#parent = parent
    this.#element = element
  }

  static root<Outcome extends string>(): Place<Outcome> {
    return new Place<Outcome>(undefined, '')
  }

  below(element: Element): Place<Outcome> {
    return new Place(this, element)
  }

  /** Makes this place a member of a set. The root stands for the whole object, which nobody owns. */
  mark(outcome: Outcome): void {
    this.#parent?.set(outcome).addMember(this.#element)
  }

  /** The set of what lies below this place. */
  set(outcome: Outcome): FieldSet {
    this.#sets ??= {}
    const known = this.#sets[outcome]
    if (known !== undefined) return known
    const made = this.#parent?.set(outcome).grow(this.#element) ?? new FieldSet()
    this.#sets[outcome] = made
    return made
  }
}
