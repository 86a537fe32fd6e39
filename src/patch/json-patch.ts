/**
 * JSON Patch (RFC 6902), all operations or none. The result is a new document that shares untouched parts with the old one;
 * the old one is never changed.
 */
import type { Json } from '../runtime/index.ts'
import { PatchedDocument, UnresolvedPointer } from './document.ts'
import { equal } from './equal.ts'
import { PatchError } from './errors.ts'
import { brief } from './members.ts'
import { type Operation, readOperations } from './operation.ts'
import { parsePointer } from './pointer.ts'

export interface JsonPatchOptions {
  /**
   * For stored operations on a document that has changed since: a `remove` of a missing target does nothing.
   * @default false
   */
  readonly lenient?: boolean
}

/**
 * @throws PatchError `CRB_PATCH_MALFORMED` for a malformed patch, `CRB_PATCH_FAILED` when it does not fit the document
 * @example applyJsonPatch({ a: 1 }, [{ op: 'replace', path: '/a', value: 2 }]) // { a: 2 }
 */
export function applyJsonPatch(document: Json, patch: Json, options: JsonPatchOptions = {}): Json {
  const operations = readOperations(patch)
  const patched = new PatchedDocument(document)
  for (const [index, operation] of operations.entries()) {
    try {
      applyOperation(patched, operation, index)
    } catch (error) {
      if (!(error instanceof UnresolvedPointer)) throw error
      if (options.lenient === true && operation.op === 'remove' && error.kind === 'missing') continue
      throw failed(index, operation, error.message)
    }
  }
  return patched.root
}

function applyOperation(document: PatchedDocument, operation: Operation, index: number): void {
  const path = tokensOf(operation.path)
  switch (operation.op) {
    case 'add':
      document.add(path, operation.value)
      return
    case 'replace':
      document.replace(path, operation.value)
      return
    case 'remove':
      document.remove(path)
      return
    case 'test': {
      const found = document.get(path)
      if (!equal(found, operation.value)) {
        throw failed(index, operation, `expected ${brief(operation.value)}, found ${brief(found)}`)
      }
      return
    }
    case 'copy': {
      const value = document.get(tokensOf(operation.from))
      document.share()
      document.add(path, value)
      return
    }
    case 'move': {
      const from = tokensOf(operation.from)
      const value = document.get(from)
      if (operation.from === operation.path) return
      if (operation.path.startsWith(`${operation.from}/`)) {
        throw failed(index, operation, `${operation.from || 'the document'} cannot be moved into itself`)
      }
      document.remove(from)
      document.add(path, value)
      return
    }
  }
}

function tokensOf(pointer: string): string[] {
  return parsePointer(pointer) ?? []
}

function failed(index: number, operation: Operation, why: string): PatchError {
  const from = 'from' in operation ? ` from "${operation.from}"` : ''
  return new PatchError('CRB_PATCH_FAILED', `operation ${index} (${operation.op}${from} "${operation.path}"): ${why}`, {
    operation: index,
    pointer: operation.path,
  })
}
