/** Parses and validates the query of a write: dry run, field manager, field validation. */
import type { JsonObject } from '../../../runtime/index.ts'
import { type FieldError, invalid, notSupported, tooLong } from '../field-error.ts'
import { invalidObject } from '../status/status-error.ts'

export type WriteKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'

/** The options as admission receives them; throws 422 for unsupported values. */
export function writeOptionsOf(query: URLSearchParams, kind: WriteKind): JsonObject {
  const errors: FieldError[] = []
  const manager = query.get('fieldManager') ?? ''
  const validation = query.get('fieldValidation') ?? ''
  const dryRun = query.getAll('dryRun').filter((value) => value !== '')
  if (manager.length > 128) errors.push(tooLong('fieldManager', 128))
  if ([...manager].some((char) => !isPrintable(char))) {
    errors.push(invalid('fieldManager', manager, 'should only contain printable characters'))
  }
  if (dryRun.some((value) => value !== 'All')) errors.push(notSupported('dryRun', dryRun, ['All']))
  if (!['', 'Ignore', 'Strict', 'Warn'].includes(validation)) {
    errors.push(notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']))
  }
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind }, '', errors)
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun.length === 0 ? {} : { dryRun }),
    ...(manager === '' ? {} : { fieldManager: manager }),
    ...(validation === '' ? {} : { fieldValidation: validation }),
  }
}

function isPrintable(char: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)
}
