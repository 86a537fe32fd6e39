/**
 * A set of field paths as a tree. Being a member and having members below are separate facts: an owner of
 * `.spec.replicas` does not own `.spec`. A set must not change after it was returned.
 */
import type { Json, JsonObject } from '../../../runtime/index.ts'
import { compareElements, type Element, elementText } from './element.ts'

interface Branch {
  member: boolean
  below: FieldSet | undefined
}

export type FieldPath = readonly Element[]

export class FieldSet {
  readonly #branches = new Map<Element, Branch>()

  static of(...paths: readonly FieldPath[]): FieldSet {
    const set = new FieldSet()
    for (const path of paths) set.insert(path)
    return set
  }

  /** Reads the wire form. */
  static fromFieldsV1(fields: JsonObject): FieldSet {
    const set = new FieldSet()
    for (const [element, value] of Object.entries(fields)) {
      if (element === '.') continue
      const content = value as JsonObject
      const keys = Object.keys(content)
      const below = keys.some((key) => key !== '.') ? FieldSet.fromFieldsV1(content) : undefined
      set.#branches.set(element, { member: keys.length === 0 || '.' in content, below })
    }
    return set
  }

  toFieldsV1(): JsonObject {
    const fields: Record<string, Json> = {}
    for (const [element, { member, below }] of this.#sorted()) {
      if (below === undefined || below.isEmpty) {
        if (member) fields[element] = {}
      } else fields[element] = member ? { '.': {}, ...below.toFieldsV1() } : below.toFieldsV1()
    }
    return fields
  }

  get isEmpty(): boolean {
    for (const { member, below } of this.#branches.values()) {
      if (member || (below !== undefined && !below.isEmpty)) return false
    }
    return true
  }

  /** Only while the set is being built. The empty path stands for the whole object, which has no owner. */
  insert(path: FieldPath): void {
    let set: FieldSet = this
    for (const element of path.slice(0, -1)) set = set.ensureBelow(element)
    const last = path.at(-1)
    if (last !== undefined) set.addMember(last)
  }

  /** Only while the set is being built. */
  addMember(element: Element): void {
    this.#branch(element).member = true
  }

  /** The set below an element, created when missing; only while the set is being built. */
  ensureBelow(element: Element): FieldSet {
    const branch = this.#branch(element)
    branch.below ??= new FieldSet()
    return branch.below
  }

  has(element: Element): boolean {
    return this.#branches.get(element)?.member === true
  }

  hasPath(path: FieldPath): boolean {
    let set: FieldSet | undefined = this
    for (const element of path.slice(0, -1)) set = set?.below(element)
    const last = path.at(-1)
    return last !== undefined && set?.has(last) === true
  }

  below(element: Element): FieldSet | undefined {
    const below = this.#branches.get(element)?.below
    return below === undefined || below.isEmpty ? undefined : below
  }

  union(other: FieldSet): FieldSet {
    const result = new FieldSet()
    for (const [element, { member, below }] of this.#branches) result.#branches.set(element, { member, below })
    for (const [element, { member, below }] of other.#branches) {
      const mine = this.#branches.get(element)
      result.#branches.set(element, {
        member: member || mine?.member === true,
        below: mine?.below === undefined ? below : below === undefined ? mine.below : mine.below.union(below),
      })
    }
    return result
  }

  intersection(other: FieldSet): FieldSet {
    const result = new FieldSet()
    for (const [element, { member, below }] of this.#branches) {
      const theirs = other.#branches.get(element)
      if (theirs === undefined) continue
      result.#branches.set(element, {
        member: member && theirs.member,
        below: below !== undefined && theirs.below !== undefined ? below.intersection(theirs.below) : undefined,
      })
    }
    return result
  }

  /** Without the members of `other`; what is below a removed member stays. */
  difference(other: FieldSet): FieldSet {
    return this.#without(other, false)
  }

  /** Without the members of `other` and everything below them. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.#without(other, true)
  }

  /** Adds every element that has something below it and for which `isNamed` returns true. */
  withNamed(isNamed: (element: Element) => boolean, descend: (element: Element) => FieldSetRule): FieldSet {
    const result = new FieldSet()
    for (const [element, { member, below }] of this.#branches) {
      const rule = descend(element)
      result.#branches.set(element, {
        member: member || (below !== undefined && isNamed(element)),
        below: below === undefined ? undefined : rule(below),
      })
    }
    return result
  }

  /** All members, parents before children, in the order of the wire form. */
  paths(prefix: FieldPath = []): FieldPath[] {
    const sorted = this.#sorted()
    return [
      ...sorted.filter(([, { member }]) => member).map(([element]) => [...prefix, element]),
      ...sorted.flatMap(([element, { below }]) => below?.paths([...prefix, element]) ?? []),
    ]
  }

  #branch(element: Element): Branch {
    let branch = this.#branches.get(element)
    if (branch === undefined) {
      branch = { member: false, below: undefined }
      this.#branches.set(element, branch)
    }
    return branch
  }

  #without(other: FieldSet, recursive: boolean): FieldSet {
    const result = new FieldSet()
    for (const [element, { member, below }] of this.#branches) {
      const theirs = other.#branches.get(element)
      if (theirs === undefined) {
        result.#branches.set(element, { member, below })
        continue
      }
      if (recursive && theirs.member) continue
      result.#branches.set(element, {
        member: member && !theirs.member,
        below: below !== undefined && theirs.below !== undefined ? below.#without(theirs.below, recursive) : below,
      })
    }
    return result
  }

  #sorted(): [Element, Branch][] {
    return [...this.#branches].sort(([a], [b]) => compareElements(a, b))
  }
}

export type FieldSetRule = (set: FieldSet) => FieldSet

export function pathText(path: FieldPath): string {
  return path.map(elementText).join('')
}
