/**
 * Operations that hooks wrote for their values, kept to be done again on whatever the values below them become. They mean then what they meant
 * when they were written: what was put under a key is there, what was taken away is not, and an element that was added to a list which somebody else
 * made is added to the list as it is by then, in the order in which all this was asked for.
 */
import { PatchError } from '../../../patch/errors.ts'
import { applyJsonPatch } from '../../../patch/json-patch.ts'
import { member, setMember } from '../../../patch/members.ts'
import { formatPointer, parsePointer } from '../../../patch/pointer.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/json.ts'

/** An operation that refers to nothing but its own path. */
export type PlainOperation =
  | { readonly op: 'add'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }

export interface Remembered {
  readonly operation: PlainOperation
  readonly tokens: readonly string[]
  /** The first list that the path leads into; undefined when it leads through keys alone. */
  readonly list: readonly string[] | undefined
}

/** Operations on elements of lists that others made cannot be put together; beyond this number the lists are kept as they are. */
const mostForLists = 256

/**
 * @param before the values onto which the operation was just done
 * @param after what came of it
 */
export function remember(
  kept: readonly Remembered[],
  operation: PlainOperation,
  before: Json,
  after: Json,
): readonly Remembered[] {
  const tokens = parsePointer(operation.path) ?? []
  const holder = kept.findIndex((other) => isHeldBy(tokens, other))
  const above = kept[holder]
  if (above?.operation.op === 'add') {
    const rest = formatPointer(tokens.slice(above.tokens.length))
    const value = applyJsonPatch(above.operation.value, [{ ...operation, path: rest }])
    return kept.with(holder, { ...above, operation: { ...above.operation, value } })
  }
  const list = listOnTheWay(tokens, before)
  const entry = { operation, tokens, list }
  if (list === undefined) return [...kept.filter((other) => !startsWith(other.tokens, tokens)), entry]
  const all = [...kept, entry]
  return all.length > mostForLists ? asItIs(all, list, after) : all
}

/** What cannot be done any more, because something else is there now, is left out until it can. */
export function replay(base: JsonObject, kept: readonly Remembered[]): JsonObject {
  let values = base
  for (const { operation, tokens, list } of kept) {
    try {
      const ground = operation.op === 'add' && list === undefined ? withParents(values, tokens) : values
      if (list !== undefined && !Array.isArray(at(values, list))) continue
      values = applyJsonPatch(ground, [operation], { lenient: true }) as JsonObject
    } catch (error) {
      if (!(error instanceof PatchError)) throw error
    }
  }
  return values
}

function startsWith(tokens: readonly string[], start: readonly string[]): boolean {
  return start.every((token, index) => tokens[index] === token)
}

/** Below something that a hook put under a key: it need not be done again by itself. */
function isHeldBy(tokens: readonly string[], { operation, tokens: other, list }: Remembered): boolean {
  return operation.op === 'add' && list === undefined && tokens.length > other.length && startsWith(tokens, other)
}

function listOnTheWay(tokens: readonly string[], document: Json): readonly string[] | undefined {
  let value: Json | undefined = document
  for (const [depth, token] of tokens.entries()) {
    if (Array.isArray(value)) return tokens.slice(0, depth)
    value = isJsonObject(value) ? member(value, token) : undefined
  }
  return undefined
}

function asItIs(kept: readonly Remembered[], list: readonly string[], values: Json): readonly Remembered[] {
  const others = kept.filter((other) => !startsWith(other.tokens, list))
  const operation = { op: 'add', path: formatPointer(list), value: at(values, list) ?? [] } as const
  return [...others, { operation, tokens: list, list: undefined }]
}

function at(values: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = values
  for (const token of path) value = isJsonObject(value) ? member(value, token) : undefined
  return value
}

/** Somebody may have taken away the maps that an operation found. */
function withParents(values: JsonObject, tokens: readonly string[]): JsonObject {
  const [token, ...rest] = tokens
  if (token === undefined || rest.length === 0) return values
  const below = member(values, token)
  if (below !== undefined && !isJsonObject(below)) return values
  const made: Record<string, Json> = { ...values }
  setMember(made, token, withParents(below ?? {}, rest))
  return made
}
