/**
 * Converts `metadata.managedFields` to a map from manager to owned fields, and back. A manager is identified by name,
 * operation, subresource and, for updates, the API version of the write.
 */
import type { Instant } from '../../../runtime/index.ts'
import type { ManagedFieldsEntry } from '../object.ts'
import { FieldSet } from './field-set.ts'

export interface Manager {
  readonly name: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
}

export interface Ownership {
  readonly manager: Manager
  readonly fields: FieldSet
  readonly time: string | undefined
}

/** Keyed by `identityOf(manager)`. */
export type Ownerships = Map<string, Ownership>

export function identityOf(manager: Manager): string {
  const { name, operation, apiVersion, subresource } = manager
  return JSON.stringify([name, operation, operation === 'Apply' ? '' : apiVersion, subresource])
}

/** Undefined when an entry is invalid: the API server then ignores managedFields as a whole. */
export function readManagedFields(entries: readonly ManagedFieldsEntry[]): Ownerships | undefined {
  const ownerships: Ownerships = new Map()
  for (const entry of entries) {
    const { operation, apiVersion, fieldsType } = entry
    if (operation !== 'Apply' && operation !== 'Update') return undefined
    if (!apiVersion || fieldsType !== 'FieldsV1') return undefined
    const manager: Manager = { name: entry.manager ?? '', operation, apiVersion, subresource: entry.subresource ?? '' }
    ownerships.set(identityOf(manager), {
      manager,
      fields: FieldSet.fromFieldsV1(entry.fieldsV1 ?? {}),
      time: entry.time,
    })
  }
  return ownerships
}

export function writeManagedFields(ownerships: Ownerships): readonly ManagedFieldsEntry[] {
  return [...ownerships.values()].sort(compareOwnerships).map(({ manager, fields, time }) => ({
    manager: manager.name,
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fields.toFieldsV1(),
    ...(manager.subresource === '' ? {} : { subresource: manager.subresource }),
  }))
}

function compareOwnerships(a: Ownership, b: Ownership): number {
  const order =
    compareText(a.manager.operation, b.manager.operation) ||
    compareText(a.time ?? '', b.time ?? '') ||
    compareText(a.manager.name, b.manager.name) ||
    compareText(a.manager.apiVersion, b.manager.apiVersion)
  return order || compareText(a.manager.subresource, b.manager.subresource)
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function timeText(now: Instant): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`
}

const updateManagersLimit = 10

/** Merges the oldest of more than ten update managers into `ancient-changes`, one entry per API version. */
export function capUpdateManagers(ownerships: Ownerships): void {
  const updaters = [...ownerships].filter(([, { manager }]) => manager.operation === 'Update')
  let count = updaters.length
  if (count <= updateManagersLimit) return
  updaters.sort(([aKey, a], [bKey, b]) => compareText(a.time ?? '', b.time ?? '') || compareText(aKey, bKey))
  const first = new Map<string, string>()
  for (const [identity, ownership] of updaters) {
    if (count <= updateManagersLimit) return
    const { apiVersion } = ownership.manager
    const bucket: Manager = { name: 'ancient-changes', operation: 'Update', apiVersion, subresource: '' }
    const bucketIdentity = identityOf(bucket)
    const firstIdentity = first.get(apiVersion)
    if (firstIdentity === undefined) {
      first.set(apiVersion, identity)
      continue
    }
    const opened = ownerships.get(bucketIdentity) ?? ownerships.get(firstIdentity)
    if (!ownerships.has(bucketIdentity)) ownerships.delete(firstIdentity)
    ownerships.delete(identity)
    ownerships.set(bucketIdentity, {
      manager: bucket,
      fields: opened === undefined ? ownership.fields : ownership.fields.union(opened.fields),
      time: ownership.time,
    })
    count--
  }
}
