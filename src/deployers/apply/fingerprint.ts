/**
 * Detects without a request that an update would change nothing. The server fills in defaults, so a manifest never equals the live object;
 * but the same manifest applied to the same live object gives the same result as last time.
 */
import type { KubeObject } from '../../kube/index.ts'
import { canonicalJson, sha256Hex } from '../../runtime/index.ts'
import type { ManagedResource } from './managed.ts'
import type { Strategy } from './strategy.ts'

type Fingerprint = NonNullable<ManagedResource['applied']>

export function fingerprint(manifest: KubeObject, strategy: Strategy, live: KubeObject): Fingerprint {
  return { manifest: shortHash({ manifest, strategy }), object: shortHash(content(live)) }
}

export function isUnchanged(
  recorded: Fingerprint | undefined,
  now: Fingerprint,
  manifest: KubeObject,
  live: KubeObject,
): boolean {
  if (recorded === undefined || recorded.manifest !== now.manifest || recorded.object !== now.object) return false
  return (
    hasAll(live.metadata.labels, manifest.metadata.labels) &&
    hasAll(live.metadata.annotations, manifest.metadata.annotations)
  )
}

/** Without metadata, which is compared key by key because others write there too, and without the status. */
function content({ metadata: _, status: __, ...rest }: KubeObject & { status?: unknown }): object {
  return rest
}

function hasAll(live: Readonly<Record<string, string>> = {}, desired: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(desired).every(([key, value]) => live[key] === value)
}

/** 16 digits distinguish the versions of one object and keep the provider status small. */
function shortHash(value: unknown): string {
  return sha256Hex(canonicalJson(value)).slice(0, 16)
}
