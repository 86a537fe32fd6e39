/**
 * A mark on the objects of the gate that tells one version of them from another. API servers fill in fields of their own, so that what is
 * there cannot be compared with what is wanted.
 */
import type { KubeObject } from '../../kube/object.ts'
import { canonicalJson } from '../../runtime/canonical-json.ts'
import { sha256Hex } from '../../runtime/sha256.ts'

const stampAnnotation = 'carabiner.dev/gate'

/** `rules` are what decides; two objects with the same rules have the same stamp. */
export function stamped<T extends KubeObject>(object: T, rules: unknown): T {
  const annotations = { [stampAnnotation]: sha256Hex(canonicalJson(rules)).slice(0, 16) }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

export function stampOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[stampAnnotation]
}
