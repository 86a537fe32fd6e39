/**
 * The ways to update a live object to its manifest, as pure functions of both. `update` replaces, `patch` merges and removes fields that
 * are null or that the last manifest had, `merge` only adds missing fields, `mergeOverwrite` adds and overwrites; `serverSideApply` is done by
 * the server.
 */
import type { KubeObject } from '../../kube/index.ts'
import { applyMergePatch } from '../../patch/index.ts'
import { isJsonObject, type Json, type JsonObject } from '../../runtime/index.ts'
import { threeWayPatch } from './last-fields.ts'
import { type Owner, withOwner } from './owner.ts'
import { withServerFields } from './server-fields.ts'

export const strategies = ['update', 'patch', 'merge', 'mergeOverwrite', 'serverSideApply'] as const
export type Strategy = (typeof strategies)[number]

type ClientSideStrategy = Exclude<Strategy, 'serverSideApply'>

/** The updated live object. */
export function updatedObject(
  strategy: ClientSideStrategy,
  live: KubeObject,
  manifest: KubeObject,
  owner: Owner,
): KubeObject {
  const [from, to] = [live as unknown as JsonObject, manifest as unknown as JsonObject]
  switch (strategy) {
    case 'update':
      return replaced(live, withServerFields(to, from) as unknown as KubeObject, owner.fieldManager)
    case 'patch':
      return applyMergePatch(from, threeWayPatch(live, manifest, owner)) as unknown as KubeObject
    case 'merge':
      // An adopted object may have the mark of another item, which would delete it with its own objects.
      return withOwner(merged(from, to, 'add') as unknown as KubeObject, owner)
    case 'mergeOverwrite':
      return merged(from, to, 'overwrite') as unknown as KubeObject
  }
}

/** Keeps labels and annotations of others, such as the revision of a Deployment; removes those we set and the manifest no longer has. */
function replaced(live: KubeObject, manifest: KubeObject, manager: string): KubeObject {
  const kept = (field: 'labels' | 'annotations') => {
    const ours = ownedKeys(live, manager, field)
    const others = Object.entries(live.metadata[field] ?? {}).filter(([key]) => !ours.has(key))
    const all = { ...Object.fromEntries(others), ...manifest.metadata[field] }
    return Object.keys(all).length === 0 ? {} : { [field]: all }
  }
  const { labels: _, annotations: __, ...metadata } = live.metadata
  const { finalizers, ownerReferences } = manifest.metadata
  const status = (live as { status?: unknown }).status
  return {
    ...manifest,
    ...(status === undefined ? {} : { status }),
    metadata: {
      ...metadata,
      ...kept('labels'),
      ...kept('annotations'),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
  }
}

function ownedKeys(live: KubeObject, manager: string, field: 'labels' | 'annotations'): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const entry of (live.metadata.managedFields ?? []) as readonly Json[]) {
    if (!isJsonObject(entry) || entry['manager'] !== manager) continue
    const fields = below(below(below(entry, 'fieldsV1'), 'f:metadata'), `f:${field}`)
    for (const key of Object.keys(fields ?? {})) if (key.startsWith('f:')) keys.add(key.slice(2))
  }
  return keys
}

function below(value: Json | undefined, key: string): JsonObject | undefined {
  const found = isJsonObject(value) ? value[key] : undefined
  return isJsonObject(found) ? found : undefined
}

function merged(live: Json, manifest: Json, mode: 'add' | 'overwrite'): Json {
  if (!isJsonObject(live) || !isJsonObject(manifest)) return mode === 'overwrite' && manifest !== null ? manifest : live
  const result: Record<string, Json> = { ...live }
  for (const [key, value] of Object.entries(manifest)) {
    const old = result[key]
    if (old === undefined || old === null) result[key] = value
    else result[key] = merged(old, value, mode)
  }
  return result
}
