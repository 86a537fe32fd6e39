/** What makes one template another: everything in it but the label that ReplicaSets add. */
import type { KubeObject } from '../../kube/index.ts'
import { canonicalJson, sha256Hex } from '../../runtime/index.ts'
import type { PodTemplate } from '../policy/workload.ts'

export const podTemplateHashLabel = 'pod-template-hash'
/** Set by `kubectl rollout restart`, which changes nothing else. */
const restartAnnotation = 'kubectl.kubernetes.io/restartedAt'

/** Objects whose hash is remembered; the others are hashed again when they are seen again. */
const remembered = 2000

export interface TemplateIdentity {
  readonly templateHash: string
  /** The hash without the annotation of `kubectl rollout restart`; absent where the template does not have it. */
  readonly hashWithoutRestart?: string
}

/** Hashes of the templates in objects. Most changes of an object are of its status, and leave its generation and so its template alone. */
export class TemplateHashes {
  readonly #known = new Map<string, TemplateIdentity>()

  of({ metadata: { uid, generation } }: KubeObject, template: () => PodTemplate): TemplateIdentity {
    const key = `${uid}/${generation ?? ''}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const identity = identityOf(template())
    if (uid === undefined) return identity
    this.#known.set(key, identity)
    const [oldest] = this.#known.keys()
    if (this.#known.size > remembered && oldest !== undefined) this.#known.delete(oldest)
    return identity
  }
}

function identityOf(template: PodTemplate): TemplateIdentity {
  const { [restartAnnotation]: restartedAt, ...annotations } = template.metadata?.annotations ?? {}
  const hash = templateHash(template)
  if (restartedAt === undefined) return { templateHash: hash }
  const before = { ...template, metadata: { ...template.metadata, annotations } }
  return { templateHash: hash, hashWithoutRestart: templateHash(before) }
}

/** Whether two templates differ in nothing but when they were restarted. */
export function isSameButRestart(a: TemplateIdentity, b: TemplateIdentity): boolean {
  return (a.hashWithoutRestart ?? a.templateHash) === (b.hashWithoutRestart ?? b.templateHash)
}

export function templateHash({ metadata = {}, spec }: PodTemplate): string {
  const { [podTemplateHashLabel]: _, ...labels } = metadata.labels ?? {}
  const { creationTimestamp: __, ...rest } = metadata as Readonly<Record<string, unknown>>
  const template = { metadata: { ...rest, labels, annotations: metadata.annotations ?? {} }, spec }
  return sha256Hex(canonicalJson(template)).slice(0, 16)
}
