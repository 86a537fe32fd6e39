/**
 * Reads the values patches of hooks: a stream of JSON patches (RFC 6902) or single operations. Checks their form and their owner; whether
 * they can be applied shows later. Messages do not quote values.
 */
import { applyJsonPatch, type Operation, PatchedDocument, parsePointer, readOperation } from '../../../patch/index.ts'
import { CarabinerError, isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { readJsonStream } from '../../scripts/json-stream.ts'
import { globalKey, moduleOfFlag } from './keys.ts'
import type { PlainOperation } from './recorded-operations.ts'

export interface ValuesPatch {
  /** Under the owner's key. */
  readonly operations: readonly Operation[]
  /** Modules enabled or disabled by a global hook, by flag; undefined to remove the flag. */
  readonly flags: Readonly<Record<string, boolean | undefined>>
}

/** @param file the variable that names the file, for messages */
export function readValuesPatch(text: string, file: string, owner: string): ValuesPatch {
  const refused = (index: number, { op, path }: Pick<Operation, 'op' | 'path'>, why: string) =>
    refusal(`${file}: operation ${index} (${op} "${path}") ${why}`)
  const operations: Operation[] = []
  const flags: Record<string, boolean | undefined> = {}
  for (const [index, entry] of entriesOf(text, file).entries()) {
    const operation = read(entry, index, file)
    const [key, ...rest] = parsePointer(operation.path) ?? []
    if (operation.op === 'replace')
      throw refused(index, operation, 'is refused: use add, which also replaces existing values')
    const isFlag = owner === globalKey && key !== undefined && moduleOfFlag(key) !== undefined && rest.length === 0
    if (isFlag && operation.op === 'add' && typeof operation.value === 'boolean') flags[key] = operation.value
    else if (isFlag && operation.op === 'remove') flags[key] = undefined
    else if (isFlag) throw refused(index, operation, 'is refused: set a flag with add and true or false')
    else if (key !== owner || (operation.op === 'move' && !isOwn(operation.from, owner)))
      throw refused(index, operation, `is refused: this hook may only change ${allowed(owner)}`)
    else operations.push(operation)
  }
  return { operations, flags }
}

/** Throws when the operation cannot be applied. */
export function applyOperation(document: JsonObject, operation: Operation, file: string, owner: string): JsonObject {
  try {
    const patched = applyJsonPatch(document, [operation as unknown as Json]) as JsonObject
    const section = patched[owner] ?? {}
    if (isJsonObject(section)) return patched
  } catch (error) {
    if (!(error instanceof CarabinerError)) throw error
    // The error of a test operation quotes the value, which may be a secret.
    const why = operation.op === 'test' ? 'finds a different value' : error.message.replace(/^.*?\): /, 'fails: ')
    throw refusal(`${file}: ${operation.op} "${operation.path}" ${why}`)
  }
  throw refusal(`${file}: ${operation.op} "${operation.path}" is refused: ${owner} must stay a map of values`)
}

/** Converts an applied operation to add and remove operations, which do not depend on other paths. */
export function toPlainOperations(operation: Operation, document: JsonObject): readonly PlainOperation[] {
  const { op, path } = operation
  if (op === 'add') return [{ op, path, value: operation.value }]
  if (op === 'remove') return [{ op, path }]
  if (op !== 'copy' && op !== 'move') return []
  const value = new PatchedDocument(document).get(parsePointer(operation.from) ?? [])
  const added = { op: 'add', path, value } as const
  return op === 'copy' ? [added] : [{ op: 'remove', path: operation.from }, added]
}

function entriesOf(text: string, file: string): readonly Json[] {
  try {
    return readJsonStream(text).flatMap((value) => (Array.isArray(value) ? (value as readonly Json[]) : [value]))
  } catch {
    throw refusal(`${file}: is not JSON; a JSON patch is an array of operations`)
  }
}

function read(entry: Json, index: number, file: string): Operation {
  try {
    return readOperation(entry, index)
  } catch (error) {
    if (!(error instanceof CarabinerError)) throw error
    throw refusal(`${file}: ${isJsonObject(entry) ? error.message : `operation ${index}: expected an object`}`)
  }
}

function isOwn(pointer: string, owner: string): boolean {
  return parsePointer(pointer)?.[0] === owner
}

function allowed(owner: string): string {
  return owner === globalKey ? `/${globalKey} and flags such as /nodeExporterEnabled` : `/${owner}`
}

function refusal(message: string): CarabinerError {
  return new CarabinerError('CRB_VALUES_PATCH_REFUSED', `${message}.`)
}
