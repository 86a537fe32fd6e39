/**
 * The ways to bring a live object in line with its manifest, as pure functions from both to what is written. `update` replaces, `patch`
 * merges with null removing, `merge` adds only what is not there, `mergeOverwrite` adds and overwrites; `serverSideApply` is the server's.
 */
import type { KubeObject } from '../../kube/object.ts'
import { applyMergePatch } from '../../patch/merge-patch.ts'
import { isJsonObject, type Json, type JsonObject } from '../../runtime/json.ts'
import { withCarriedFields } from './carried.ts'

export const strategies = ['update', 'patch', 'merge', 'mergeOverwrite', 'serverSideApply'] as const
export type Strategy = (typeof strategies)[number]

type Written = Exclude<Strategy, 'serverSideApply'>

/** The live object as it should be; `manager` is the name our earlier writes stand under. */
export function desired(strategy: Written, live: KubeObject, manifest: KubeObject, manager: string): KubeObject {
  const [from, to] = [live as unknown as JsonObject, manifest as unknown as JsonObject]
  switch (strategy) {
    case 'update':
      return replaced(live, withCarriedFields(to, from) as unknown as KubeObject, manager)
    case 'patch':
      return applyMergePatch(from, to) as unknown as KubeObject
    case 'merge':
      return merged(from, to, false) as unknown as KubeObject
    case 'mergeOverwrite':
      return merged(from, to, true) as unknown as KubeObject
  }
}

/**
 * Labels and annotations that others put there stay, such as the revision of a Deployment; those we wrote once and no longer want go.
 */
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

function merged(live: Json, manifest: Json, overwrite: boolean): Json {
  if (!isJsonObject(live) || !isJsonObject(manifest)) return overwrite && manifest !== null ? manifest : live
  const result: Record<string, Json> = { ...live }
  for (const [key, value] of Object.entries(manifest)) {
    const old = result[key]
    if (old === undefined || old === null) result[key] = value
    else result[key] = merged(old, value, overwrite)
  }
  return result
}
