/**
 * Records the values operations of hooks, to replay them when the layers below change. Replay keeps their meaning: a key that was set is
 * set, a key that was removed is removed, and an element added to a list of another layer is added to the current list, in the original
 * order.
 */
import { applyJsonPatch, formatPointer, member, PatchError, parsePointer, setMember } from '../../../patch/index.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'

/** An operation that does not depend on other paths. */
export type PlainOperation =
  | { readonly op: 'add'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }

export interface RecordedOperation {
  readonly operation: PlainOperation
  readonly tokens: readonly string[]
  /** The path of the first list on the way; undefined when the path has only map keys. */
  readonly list: readonly string[] | undefined
}

/** Operations on elements of lists of other layers cannot be merged; beyond this number the whole list is recorded instead. */
const maxListOperations = 256

/**
 * @param before the values before the operation
 * @param after the values after the operation
 */
export function recordOperation(
  kept: readonly RecordedOperation[],
  operation: PlainOperation,
  before: Json,
  after: Json,
): readonly RecordedOperation[] {
  const tokens = parsePointer(operation.path) ?? []
  const holder = kept.findIndex((other) => isInside(tokens, other))
  const above = kept[holder]
  if (above?.operation.op === 'add') {
    const rest = formatPointer(tokens.slice(above.tokens.length))
    const value = applyJsonPatch(above.operation.value, [{ ...operation, path: rest }])
    return kept.with(holder, { ...above, operation: { ...above.operation, value } })
  }
  const list = firstListOnPath(tokens, before)
  const entry = { operation, tokens, list }
  if (list === undefined) return [...kept.filter((other) => !startsWith(other.tokens, tokens)), entry]
  const all = [...kept, entry]
  return all.length > maxListOperations ? asWholeList(all, list, after) : all
}

/** Skips operations that cannot be applied to the current values. */
export function replay(base: JsonObject, kept: readonly RecordedOperation[]): JsonObject {
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

/** The path is inside a value that a recorded operation sets, so it is merged into that operation. */
function isInside(tokens: readonly string[], { operation, tokens: other, list }: RecordedOperation): boolean {
  return operation.op === 'add' && list === undefined && tokens.length > other.length && startsWith(tokens, other)
}

function firstListOnPath(tokens: readonly string[], document: Json): readonly string[] | undefined {
  let value: Json | undefined = document
  for (const [depth, token] of tokens.entries()) {
    if (Array.isArray(value)) return tokens.slice(0, depth)
    value = isJsonObject(value) ? member(value, token) : undefined
  }
  return undefined
}

function asWholeList(
  kept: readonly RecordedOperation[],
  list: readonly string[],
  values: Json,
): readonly RecordedOperation[] {
  const others = kept.filter((other) => !startsWith(other.tokens, list))
  const operation = { op: 'add', path: formatPointer(list), value: at(values, list) ?? [] } as const
  return [...others, { operation, tokens: list, list: undefined }]
}

function at(values: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = values
  for (const token of path) value = isJsonObject(value) ? member(value, token) : undefined
  return value
}

/** Creates parent maps that no longer exist. */
function withParents(values: JsonObject, tokens: readonly string[]): JsonObject {
  const [token, ...rest] = tokens
  if (token === undefined || rest.length === 0) return values
  const below = member(values, token)
  if (below !== undefined && !isJsonObject(below)) return values
  const made: Record<string, Json> = { ...values }
  setMember(made, token, withParents(below ?? {}, rest))
  return made
}
