/** Objects and lists as Table or PartialObjectMetadata. */
import type { Instant, Json, JsonObject } from '../../../runtime/index.ts'
import type { ApiObject } from '../object.ts'
import type { ServedResource } from '../resource.ts'

export type IncludeObject = 'None' | 'Metadata' | 'Object'

export function partialMetadata({ metadata }: ApiObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
}

export function partialMetadataList(objects: readonly ApiObject[], metadata: JsonObject): JsonObject {
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    items: objects.map(partialMetadata),
  }
}

export interface TableOptions {
  readonly include: IncludeObject
  readonly now: Instant
  /** Whether the table contains column definitions; in a watch only the first event does. @default true */
  readonly hasHeaders?: boolean
}

export function tableOf(
  resource: ServedResource,
  objects: readonly ApiObject[],
  metadata: JsonObject,
  { include, now, hasHeaders = true }: TableOptions,
): JsonObject {
  const { columns, cells } = resource.strategy.table
  const rows = objects.map((object): JsonObject => {
    const row = { cells: cells(object, now) as Json }
    if (include === 'None') return { ...row, object: null }
    return { ...row, object: include === 'Object' ? object : partialMetadata(object) }
  })
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: hasHeaders ? (columns as readonly object[] as readonly Json[]) : null,
    rows,
  }
}
