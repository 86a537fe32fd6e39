/**
 * The 409 response that lists every field an apply would take from another field manager, in the words of the real API
 * server.
 */
import { StatusError } from '../status/status-error.ts'
import { pathText } from './field-set.ts'
import { identityOf, type Manager } from './managers.ts'
import type { Conflict } from './ownership.ts'

function managerText({ name, operation, apiVersion, subresource }: Manager): string {
  const who = subresource === '' ? JSON.stringify(name) : `${JSON.stringify(name)} with subresource "${subresource}"`
  return operation === 'Update' ? `${who} using ${apiVersion}` : who
}

export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${managerText(manager)}`,
    field: pathText(path),
  }))
  return new StatusError(409, 'Conflict', message(conflicts), { causes })
}

function message(conflicts: readonly Conflict[]): string {
  const [only] = conflicts
  if (only !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${managerText(only.manager)}: ${pathText(only.path)}`
  }
  const byManager = new Map<string, Conflict[]>()
  for (const conflict of conflicts) {
    const identity = identityOf(conflict.manager)
    byManager.set(identity, [...(byManager.get(identity) ?? []), conflict])
  }
  const lines = [...byManager]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, ofManager]) => [
      ...ofManager.slice(0, 1).map(({ manager }) => `conflicts with ${managerText(manager)}:`),
      ...ofManager.map(({ path }) => `- ${pathText(path)}`),
    ])
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`
}
