/** What makes one template another: everything in it but the label that ReplicaSets add. */
import type { KubeObject } from '../../kube/index.ts'
import { canonicalJson, sha256Hex } from '../../runtime/index.ts'
import type { PodTemplate } from '../policy/workload.ts'

export const podTemplateHashLabel = 'pod-template-hash'

/** Objects whose hash is remembered; the others are hashed again when they are seen again. */
const remembered = 2000

/** Hashes of the templates in objects. Most changes of an object are of its status, and leave its generation and so its template alone. */
export class TemplateHashes {
  readonly #known = new Map<string, string>()

  of({ metadata: { uid, generation } }: KubeObject, template: () => PodTemplate): string {
    const key = `${uid}/${generation ?? ''}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const hash = templateHash(template())
    if (uid === undefined) return hash
    this.#known.set(key, hash)
    const [oldest] = this.#known.keys()
    if (this.#known.size > remembered && oldest !== undefined) this.#known.delete(oldest)
    return hash
  }
}

export function templateHash({ metadata = {}, spec }: PodTemplate): string {
  const { [podTemplateHashLabel]: _, ...labels } = metadata.labels ?? {}
  const { creationTimestamp: __, ...rest } = metadata as Readonly<Record<string, unknown>>
  const template = { metadata: { ...rest, labels, annotations: metadata.annotations ?? {} }, spec }
  return sha256Hex(canonicalJson(template)).slice(0, 16)
}
