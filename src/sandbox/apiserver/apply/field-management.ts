/** Maintains `metadata.managedFields` and performs server-side apply for any served resource: the entry point to this folder. */
import { equal } from '../../../patch/index.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { type ApiObject, type ManagedFieldsEntry, withMetadata } from '../object.ts'
import type { FieldManagement, FieldWrite, ServedResource } from '../resource.ts'
import { badRequest, StatusError } from '../status/status-error.ts'
import { share } from '../storage/share.ts'
import { conflictError } from './conflict.ts'
import { allowedByLastApplied, withLastApplied } from './last-applied.ts'
import {
  capUpdateManagers,
  type Manager,
  type Ownerships,
  readManagedFields,
  timeText,
  writeManagedFields,
} from './managers.ts'
import { type Applied, ApplyConflicts, afterApply, afterUpdate } from './ownership.ts'
import { resetFields, untracked } from './reset-fields.ts'
import { structureOf } from './structure.ts'
import { typeFaults } from './type-faults.ts'

export const fieldManagement: FieldManagement = { update, apply }

function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? version : `${group}/${version}`
}

function managerOf(write: FieldWrite, operation: Manager['operation']): Manager {
  return {
    name: write.manager === '' ? 'unknown' : write.manager,
    operation,
    apiVersion: apiVersionOf(write.resource),
    subresource: write.subresource,
  }
}

function rulesOf({ resource, subresource }: FieldWrite) {
  return { structure: structureOf(resource.strategy.schema), ignored: resetFields(resource, subresource) }
}

function isReset(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (entries === undefined) return false
  return entries.length === 0 || (entries.length === 1 && Object.keys(entries[0] ?? {}).length === 0)
}

/**
 * The managed fields a write starts from: those of the request, or those of the stored object when the request has no
 * usable ones.
 */
function startOf(write: FieldWrite, object: ApiObject, old: ApiObject | undefined): Ownerships {
  const kept = readManagedFields(old?.metadata.managedFields ?? []) ?? new Map()
  if (write.subresource !== '') return kept
  const given = object.metadata.managedFields
  if (isReset(given)) return new Map()
  const brought = readManagedFields(given ?? [])
  return brought === undefined || brought.size === 0 ? kept : brought
}

/**
 * The empty object a creation is compared with. Decoding sets the empty parts of built-in kinds, so that no manager
 * owns them.
 */
function emptyOf(resource: ServedResource): ApiObject {
  const { kind } = resource
  return resource.strategy.decode({ apiVersion: apiVersionOf(resource), kind, metadata: {} }).object
}

function withoutManagedFields(object: ApiObject): ApiObject {
  return object.metadata.managedFields === undefined ? object : withMetadata(object, { managedFields: undefined })
}

function withOwnerships(object: ApiObject, ownerships: Ownerships): ApiObject {
  return withMetadata(object, { managedFields: ownerships.size === 0 ? undefined : writeManagedFields(ownerships) })
}

function update(write: FieldWrite & { readonly object: ApiObject; readonly old: ApiObject | undefined }): ApiObject {
  const { object, old } = write
  const start = startOf(write, object, old)
  // Once managedFields were cleared, the API server does not track an object again until it is applied.
  if (start.size === 0 && old !== undefined) return withoutManagedFields(object)
  const before = old === undefined ? emptyOf(write.resource) : withoutManagedFields(old)
  // Share equal parts between both objects: the comparison skips identical references.
  const after = share(before, withoutManagedFields(object))
  const manager = managerOf(write, 'Update')
  const ownerships = afterUpdate(
    // Managed fields of the Scale subresource carry no timestamps.
    { before, after, manager, time: write.subresource === 'scale' ? undefined : timeText(write.now) },
    start,
    rulesOf(write),
    untracked,
  )
  capUpdateManagers(ownerships)
  return withOwnerships(after, ownerships)
}

function apply(
  write: FieldWrite & {
    readonly applied: JsonObject
    readonly live: ApiObject | undefined
    readonly force: boolean
  },
): ApiObject {
  const { applied, live } = write
  checkApplied(write)
  const rules = rulesOf(write)
  const before: Json = live === undefined ? emptyOf(write.resource) : withoutManagedFields(live)
  const time = timeText(write.now)
  const start = startOfApply(write, before)
  const attempt = (force: boolean): Applied =>
    afterApply(
      { live: before, config: applied, manager: managerOf(write, 'Apply'), force, time },
      new Map(start),
      rules,
      untracked,
    )
  const result = attemptWithMigration(write, before, attempt)
  const value = result.value as ApiObject
  const kept = write.manager === 'kubectl' ? withLastApplied(value, applied) : value
  if (live !== undefined && equal(before, kept)) {
    const same = withOwnerships(live, result.ownerships)
    return equal(same, live) ? live : same
  }
  return withOwnerships(kept, result.ownerships)
}

/** Fields of a live object without a manager are assigned to `before-first-apply`, so that taking them is a conflict. */
function startOfApply(write: FieldWrite & { readonly live: ApiObject | undefined }, before: Json): Ownerships {
  const start = readManagedFields(write.live?.metadata.managedFields ?? []) ?? new Map()
  if (start.size > 0 || write.live === undefined) return start
  return afterUpdate(
    {
      before: emptyOf(write.resource),
      after: before,
      manager: managerOf({ ...write, manager: 'before-first-apply' }, 'Update'),
      time: timeText(write.now),
    },
    start,
    rulesOf(write),
    untracked,
  )
}

/** kubectl's server-side apply takes over the fields of its client-side apply without a conflict. */
function attemptWithMigration(
  write: FieldWrite & { readonly force: boolean },
  live: Json,
  attempt: (force: boolean) => Applied,
): Applied {
  try {
    return attempt(write.force)
  } catch (error) {
    if (!(error instanceof ApplyConflicts)) throw error
    const allowed =
      write.manager === 'kubectl' && isJsonObject(live)
        ? allowedByLastApplied(live, structureOf(write.resource.strategy.schema))
        : undefined
    if (allowed === undefined) throw conflictError(error.conflicts)
    const left = error.conflicts.filter(({ path }) => !allowed.hasPath(path))
    if (left.length > 0) throw conflictError(left)
    return attempt(true)
  }
}

function checkApplied(write: FieldWrite & { readonly applied: JsonObject }): void {
  const { applied, resource } = write
  const { group, version, kind } = resource
  if (applied['apiVersion'] !== apiVersionOf(resource) || applied['kind'] !== kind) {
    const given = String(applied['apiVersion'] ?? '')
    const full = given.includes('/') ? given : `/${given}`
    throw badRequest(`invalid object type: ${full}, Kind=${String(applied['kind'] ?? '')}`)
  }
  const metadata = isJsonObject(applied['metadata']) ? applied['metadata'] : {}
  if ('managedFields' in metadata && metadata['managedFields'] !== null) {
    throw badRequest('metadata.managedFields must be nil')
  }
  const faults = typeFaults(applied, structureOf(resource.strategy.schema))
  if (faults.length === 0) return
  const label = `${group}/${version}, Kind=${kind}`
  const subject = `${String(metadata['namespace'] ?? '')}/${String(metadata['name'] ?? '')}; ${label}`
  const text = faults.length === 1 ? faults[0] : `errors:\n${faults.map((fault) => `  ${fault}`).join('\n')}`
  throw new StatusError(500, '', `failed to create typed patch object (${subject}): ${text}`)
}
