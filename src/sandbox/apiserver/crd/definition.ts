/** CustomResourceDefinition objects in compiled form. */
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import type { Schema } from '../../../schema/index.ts'
import { listAt, objectAt } from '../defaults/fill.ts'
import type { ApiObject } from '../object.ts'
import type { ScalePaths, StorageKey } from '../resource.ts'

/** Keeps a definition until its objects are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

export interface Names {
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly listKind: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
}

export interface PrinterColumn {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  readonly priority: number
  readonly jsonPath: string
}

export interface DefinedVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecationWarning: string | undefined
  readonly schema: Schema
  readonly hasStatus: boolean
  readonly scale: ScalePaths | undefined
  readonly columns: readonly PrinterColumn[]
  /** JSON paths. */
  readonly selectable: readonly string[]
}

export interface Definition {
  readonly name: string
  readonly group: string
  readonly namespaced: boolean
  readonly names: Names
  readonly versions: readonly DefinedVersion[]
  readonly storedVersions: readonly string[]
  /** `spec.conversion`. */
  readonly conversion: JsonObject
  readonly isTerminating: boolean
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function texts(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly Json[]).map(text) : []
}

export function namesOf(names: JsonObject): Names {
  return {
    plural: text(names['plural']),
    singular: text(names['singular']),
    kind: text(names['kind']),
    listKind: text(names['listKind']),
    shortNames: texts(names['shortNames']),
    categories: texts(names['categories']),
  }
}

function readVersion(version: JsonObject, { group, names }: { group: string; names: Names }): DefinedVersion {
  const name = text(version['name'])
  const scale = objectAt(objectAt(version, 'subresources'), 'scale')
  const selector = text(scale['labelSelectorPath'])
  const warning = text(version['deprecationWarning']) || `${group}/${name} ${names.kind} is deprecated`
  return {
    name,
    served: version['served'] === true,
    storage: version['storage'] === true,
    deprecationWarning: version['deprecated'] === true ? warning : undefined,
    schema: objectAt(objectAt(version, 'schema'), 'openAPIV3Schema') as Schema,
    hasStatus: isJsonObject(objectAt(version, 'subresources')['status']),
    scale:
      Object.keys(scale).length === 0
        ? undefined
        : {
            specReplicasPath: text(scale['specReplicasPath']),
            statusReplicasPath: text(scale['statusReplicasPath']),
            ...(selector === '' ? {} : { labelSelectorPath: selector }),
          },
    columns: listAt(version, 'additionalPrinterColumns').map((column) => ({
      name: text(column['name']),
      type: text(column['type']),
      format: text(column['format']),
      description: text(column['description']),
      priority: typeof column['priority'] === 'number' ? column['priority'] : 0,
      jsonPath: text(column['jsonPath']),
    })),
    selectable: listAt(version, 'selectableFields').map((field) => text(field['jsonPath'])),
  }
}

export function readDefinition(object: ApiObject): Definition {
  const spec = objectAt(object, 'spec')
  const group = text(spec['group'])
  const names = namesOf(objectAt(spec, 'names'))
  return {
    name: object.metadata.name,
    group,
    namespaced: spec['scope'] === 'Namespaced',
    names,
    versions: listAt(spec, 'versions').map((version) => readVersion(version, { group, names })),
    storedVersions: texts(objectAt(object, 'status')['storedVersions']),
    conversion: objectAt(spec, 'conversion'),
    isTerminating: object.metadata.deletionTimestamp !== undefined,
  }
}

/**
 * Objects are stored in the oldest stored version that still exists, so changing the storage version needs no
 * migration. Clients cannot see the difference.
 */
export function storedVersion({ versions, storedVersions }: Definition): string {
  const isThere = (name: string): boolean => versions.some((version) => version.name === name)
  return storedVersions.find(isThere) ?? versions.find(({ storage }) => storage)?.name ?? ''
}

export function storageOf(definition: Definition): StorageKey {
  const { group, names } = definition
  return { group, resource: names.plural, apiVersion: `${group}/${storedVersion(definition)}`, kind: names.kind }
}
