/**
 * The current path of a walk over a value, and the field sets collected there. Sets below the root are created on first
 * use, so visiting a path without marking it costs nothing.
 */
import type { Element } from './element.ts'
import { FieldSet } from './field-set.ts'

export class PathCursor<Outcome extends string> {
  readonly #parent: PathCursor<Outcome> | undefined
  readonly #element: Element
  #sets: { [K in Outcome]?: FieldSet } | undefined

  private constructor(parent: PathCursor<Outcome> | undefined, element: Element) {
    this.#parent = parent
    this.#element = element
  }

  static root<Outcome extends string>(): PathCursor<Outcome> {
    return new PathCursor<Outcome>(undefined, '')
  }

  below(element: Element): PathCursor<Outcome> {
    return new PathCursor(this, element)
  }

  /** Adds this path to a set. The root stands for the whole object, which has no owner. */
  mark(outcome: Outcome): void {
    this.#parent?.set(outcome).addMember(this.#element)
  }

  /** The set of paths below this one. */
  set(outcome: Outcome): FieldSet {
    this.#sets ??= {}
    const known = this.#sets[outcome]
    if (known !== undefined) return known
    const made = this.#parent?.set(outcome).ensureBelow(this.#element) ?? new FieldSet()
    this.#sets[outcome] = made
    return made
  }
}
