/**
 * A mark on the objects of the gate that tells one version of them from another. API servers fill in fields of their own, so that what is
 * there cannot be compared with what is wanted.
 */
import type { KubeObject } from '../../kube/index.ts'
import { canonicalJson, sha256Hex } from '../../runtime/index.ts'

const stampAnnotation = 'carabiner.dev/gate'

/** `rules` are what decides; two objects with the same rules have the same stamp. */
export function stamped<T extends KubeObject>(object: T, rules: unknown): T {
  const annotations = { [stampAnnotation]: sha256Hex(canonicalJson(rules)).slice(0, 16) }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

export function stampOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[stampAnnotation]
}
