/**
 * A document while a JSON Patch is applied to it. The first change of a container copies it, later changes of the same
 * container reuse the copy; untouched parts stay the same objects.
 */
import { isJsonObject, type Json } from '../runtime/index.ts'
import { kindOf, type MutableObject, member, setMember } from './members.ts'
import { formatPointer, parseIndex } from './pointer.ts'

type MutableArray = Json[]
type Container = MutableObject | MutableArray

/** A pointer that does not resolve: it is `invalid`, or its target is `missing`, which a replay ignores. */
export class UnresolvedPointer extends Error {
  readonly kind: 'invalid' | 'missing'

  constructor(kind: 'invalid' | 'missing', message: string) {
    super(message)
    this.kind = kind
  }
}

export class PatchedDocument {
  #root: Json
  readonly #own = new Set<object>()

  constructor(root: Json) {
    this.#root = root
  }

  get root(): Json {
    return this.#root
  }

  get(tokens: readonly string[]): Json {
    let value = this.#root
    for (let depth = 0; depth < tokens.length; depth += 1) value = child(value, tokens, depth)
    return value
  }

  add(tokens: readonly string[], value: Json): void {
    const last = tokens.at(-1)
    if (last === undefined) {
      this.#root = value
      return
    }
    const parent = this.get(tokens.slice(0, -1))
    if (Array.isArray(parent)) {
      const index = last === '-' ? parent.length : indexOf(last, tokens)
      if (index > parent.length) throw beyond(index, parent.length, tokens)
      const items = this.#writable(tokens) as MutableArray
      if (index === items.length) items.push(value)
      else items.splice(index, 0, value)
    } else {
      expectObject(parent, tokens, tokens.length - 1)
      setMember(this.#writable(tokens) as MutableObject, last, value)
    }
  }

  replace(tokens: readonly string[], value: Json): void {
    const last = tokens.at(-1)
    this.get(tokens)
    if (last === undefined) {
      this.#root = value
      return
    }
    const parent = this.#writable(tokens)
    if (Array.isArray(parent)) parent[Number(last)] = value
    else setMember(parent, last, value)
  }

  remove(tokens: readonly string[]): Json {
    const last = tokens.at(-1)
    if (last === undefined) throw new UnresolvedPointer('invalid', 'the whole document cannot be removed')
    const value = this.get(tokens)
    const parent = this.#writable(tokens)
    if (Array.isArray(parent)) parent.splice(Number(last), 1)
    else delete parent[last]
    return value
  }

  /** Must be called when a container may be in two places: copies made so far must not be changed in place any more. */
  share(): void {
    this.#own.clear()
  }

  /** The parent of the last token, copied together with its ancestors; the path must exist. */
  #writable(tokens: readonly string[]): Container {
    let container = this.#owned(this.#root)
    this.#root = container
    for (let depth = 0; depth < tokens.length - 1; depth += 1) {
      const token = tokens[depth] ?? ''
      const next = this.#owned(Array.isArray(container) ? container[Number(token)] : member(container, token))
      if (Array.isArray(container)) container[Number(token)] = next
      else setMember(container, token, next)
      container = next
    }
    return container
  }

  #owned(value: Json | undefined): Container {
    if (typeof value === 'object' && value !== null && this.#own.has(value)) return value as Container
    const copy: Container = Array.isArray(value) ? value.slice() : { ...(value as MutableObject) }
    this.#own.add(copy)
    return copy
  }
}

function child(value: Json, tokens: readonly string[], depth: number): Json {
  const token = tokens[depth] ?? ''
  if (Array.isArray(value)) {
    if (token === '-')
      throw new UnresolvedPointer('missing', `${formatPointer(tokens.slice(0, depth))} has no element "-"`)
    const index = indexOf(token, tokens)
    if (index >= value.length) throw beyond(index, value.length, tokens.slice(0, depth + 1))
    return value[index]
  }
  expectObject(value, tokens, depth)
  const found = member(value as MutableObject, token)
  if (found === undefined) {
    throw new UnresolvedPointer('missing', `${formatPointer(tokens.slice(0, depth + 1))} does not exist`)
  }
  return found
}

function expectObject(value: Json, tokens: readonly string[], depth: number): void {
  if (isJsonObject(value)) return
  const where = formatPointer(tokens.slice(0, depth)) || 'the document'
  throw new UnresolvedPointer('missing', `${where} is ${kindOf(value)}, neither object nor array`)
}

function indexOf(token: string, tokens: readonly string[]): number {
  const index = parseIndex(token)
  if (index === undefined)
    throw new UnresolvedPointer('invalid', `"${token}" in ${formatPointer(tokens)} is not an array index`)
  return index
}

function beyond(index: number, length: number, tokens: readonly string[]): UnresolvedPointer {
  const where = formatPointer(tokens.slice(0, -1)) || 'the document'
  return new UnresolvedPointer('missing', `index ${index} is beyond the end of ${where}, which has ${length} elements`)
}
