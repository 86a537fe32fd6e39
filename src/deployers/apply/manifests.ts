/**
 * Reads the manifests of an item: expands lists, removes metadata that only the server sets, and checks each object. Errors name the field
 * of the provider configuration.
 */
import type { KubeObject } from '../../kube/index.ts'
import { isJsonObject, type Json, type JsonObject } from '../../runtime/index.ts'
import { configurationProblem } from '../library/errors.ts'
import { keyOfReference, type Policy, referenceTo } from './managed.ts'

export interface Manifest {
  readonly policy: Policy
  readonly manifest: Json
  /** For example `spec.config.manifests[0].manifest`. */
  readonly field: string
}

export interface DesiredObject {
  readonly policy: Policy
  readonly object: KubeObject
  readonly field: string
}

export function readManifests(manifests: readonly Manifest[]): readonly DesiredObject[] {
  const desired = manifests.flatMap(readManifest)
  const seen = new Map<string, string>()
  for (const { object, field } of desired) {
    const key = keyOfReference(referenceTo(object))
    const before = seen.get(key)
    if (before !== undefined)
      throw problem(field, `describes ${object.kind} ${object.metadata.name}, which ${before} already describes`)
    seen.set(key, field)
  }
  return desired
}

function readManifest({ policy, manifest, field }: Manifest): readonly DesiredObject[] {
  if (!isJsonObject(manifest)) throw problem(field, 'is not an object')
  const { apiVersion, kind, metadata, items } = manifest
  if (typeof apiVersion !== 'string' || apiVersion === '') throw problem(`${field}.apiVersion`, 'is missing')
  if (typeof kind !== 'string' || kind === '') throw problem(`${field}.kind`, 'is missing')
  if (kind.endsWith('List') && Array.isArray(items))
    return (items as readonly Json[]).flatMap((item, index) =>
      readManifest({ policy, manifest: item, field: `${field}.items[${index}]` }),
    )
  if (!isJsonObject(metadata)) throw problem(`${field}.metadata`, 'is missing')
  const { name, namespace } = metadata
  if (typeof name !== 'string' || name === '') throw problem(`${field}.metadata.name`, 'is missing')
  if (namespace !== undefined && namespace !== null && typeof namespace !== 'string')
    throw problem(`${field}.metadata.namespace`, 'is not a name')
  return [
    { policy, field, object: { ...manifest, metadata: withoutServerMetadata(metadata) } as unknown as KubeObject },
  ]
}

/** Manifests are often copied from a cluster together with fields that only that cluster's API server sets. */
const serverMetadata: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
])

function withoutServerMetadata(metadata: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(metadata).filter(([key, value]) => !serverMetadata.has(key) && value !== null),
  )
}

function problem(field: string, what: string): Error {
  return configurationProblem('ReadManifests', `${field} ${what}.`)
}
