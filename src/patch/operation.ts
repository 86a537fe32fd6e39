/**
 * The six operations of RFC 6902 and their validation. Unknown members are ignored, as the RFC requires.
 */
import { isJsonObject, type Json, type JsonObject } from '../runtime/index.ts'
import { PatchError } from './errors.ts'
import { brief, member } from './members.ts'
import { parsePointer } from './pointer.ts'

export type Operation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string }

/** Validates a patch without a document; returns the operations unchanged. */
export function readOperations(patch: Json): readonly Operation[] {
  if (!Array.isArray(patch)) {
    throw new PatchError('CRB_PATCH_MALFORMED', `a JSON patch is an array of operations, found ${brief(patch)}`)
  }
  const checked: Operation[] = []
  for (let index = 0; index < patch.length; index += 1) checked.push(readOperation(patch[index], index))
  return checked
}

export function readOperation(entry: Json, index: number): Operation {
  if (!isJsonObject(entry)) throw malformed(index, `expected an object, found ${brief(entry)}`)
  const op = member(entry, 'op')
  const path = pointerMember(entry, 'path', index)
  switch (op) {
    case 'add':
    case 'replace':
    case 'test': {
      const value = member(entry, 'value')
      if (value === undefined) throw malformed(index, `${op} ${path} has no "value"`)
      return { op, path, value }
    }
    case 'remove':
      return { op, path }
    case 'move':
    case 'copy':
      return { op, from: pointerMember(entry, 'from', index), path }
    case undefined:
      throw malformed(index, 'has no "op"')
    default:
      throw malformed(index, `"op" must be one of add, remove, replace, move, copy, test; found ${brief(op)}`)
  }
}

function pointerMember(entry: JsonObject, name: 'path' | 'from', index: number): string {
  const value = member(entry, name)
  if (value === undefined) throw malformed(index, `has no "${name}"`)
  if (typeof value !== 'string') throw malformed(index, `"${name}" must be a string, found ${brief(value)}`)
  if (parsePointer(value) === undefined) {
    throw malformed(index, `"${name}" must be a JSON pointer: empty, or starting with "/"; found ${brief(value)}`)
  }
  return value
}

function malformed(index: number, what: string): PatchError {
  return new PatchError('CRB_PATCH_MALFORMED', `operation ${index}: ${what}`, { operation: index })
}
