/**
 * The objects an item wants, one by one: lists opened, what only a server may set left out, every one checked. What is wrong is said with
 * the field of the provider configuration it stands in.
 */
import type { KubeObject } from '../../kube/object.ts'
import { isJsonObject, type Json, type JsonObject } from '../../runtime/json.ts'
import { configurationProblem } from '../library/errors.ts'
import { keyOfReference, type Policy, referenceTo } from './managed.ts'

export interface Manifest {
  readonly policy: Policy
  readonly manifest: Json
  /** Where it stands, for example `spec.config.manifests[0].manifest`. */
  readonly field: string
}

export interface Wanted {
  readonly policy: Policy
  readonly object: KubeObject
  readonly field: string
}

export function wantedObjects(manifests: readonly Manifest[]): readonly Wanted[] {
  const wanted = manifests.flatMap(opened)
  const seen = new Map<string, string>()
  for (const { object, field } of wanted) {
    const key = keyOfReference(referenceTo(object))
    const before = seen.get(key)
    if (before !== undefined)
      throw problem(field, `describes ${object.kind} ${object.metadata.name}, which ${before} describes already`)
    seen.set(key, field)
  }
  return wanted
}

function opened({ policy, manifest, field }: Manifest): readonly Wanted[] {
  if (!isJsonObject(manifest)) throw problem(field, 'is not an object')
  const { apiVersion, kind, metadata, items } = manifest
  if (typeof apiVersion !== 'string' || apiVersion === '') throw problem(`${field}.apiVersion`, 'is missing')
  if (typeof kind !== 'string' || kind === '') throw problem(`${field}.kind`, 'is missing')
  if (kind.endsWith('List') && Array.isArray(items))
    return (items as readonly Json[]).flatMap((item, index) =>
      opened({ policy, manifest: item, field: `${field}.items[${index}]` }),
    )
  if (!isJsonObject(metadata)) throw problem(`${field}.metadata`, 'is missing')
  const { name, namespace } = metadata
  if (typeof name !== 'string' || name === '') throw problem(`${field}.metadata.name`, 'is missing')
  if (namespace !== undefined && namespace !== null && typeof namespace !== 'string')
    throw problem(`${field}.metadata.namespace`, 'is not a name')
  return [{ policy, field, object: { ...manifest, metadata: ownMetadata(metadata) } as unknown as KubeObject }]
}

/** Manifests are often copied from a cluster, together with what only that cluster can know. */
const ofTheServer: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
])

function ownMetadata(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([key, value]) => !ofTheServer.has(key) && value !== null))
}

function problem(field: string, what: string): Error {
  return configurationProblem('ReadManifests', `${field} ${what}.`)
}
