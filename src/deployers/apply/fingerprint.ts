/**
 * Tells without a request whether an update would change anything. The server fills in defaults, so that a manifest never equals the live
 * object; but the same manifest on the same live object gives the same result as last time.
 */
import type { KubeObject } from '../../kube/object.ts'
import { canonicalJson } from '../../runtime/canonical-json.ts'
import { sha256Hex } from '../../runtime/sha256.ts'
import type { ManagedResource } from './managed.ts'
import type { Strategy } from './strategy.ts'

type Fingerprint = NonNullable<ManagedResource['applied']>

export function fingerprint(manifest: KubeObject, strategy: Strategy, live: KubeObject): Fingerprint {
  return { manifest: short({ manifest, strategy }), object: short(content(live)) }
}

export function isUnchanged(
  recorded: Fingerprint | undefined,
  now: Fingerprint,
  manifest: KubeObject,
  live: KubeObject,
): boolean {
  if (recorded === undefined || recorded.manifest !== now.manifest || recorded.object !== now.object) return false
  return (
    holds(live.metadata.labels, manifest.metadata.labels) &&
    holds(live.metadata.annotations, manifest.metadata.annotations)
  )
}

/** Metadata is compared key by key, because others write there too; the status is not ours. */
function content({ metadata: _, status: __, ...rest }: KubeObject & { status?: unknown }): object {
  return rest
}

function holds(live: Readonly<Record<string, string>> = {}, wanted: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => live[key] === value)
}

/** Enough to tell versions of one object apart; the status holds one per object. */
function short(value: unknown): string {
  return sha256Hex(canonicalJson(value)).slice(0, 16)
}
