/** What makes one template another: everything in it but the label that ReplicaSets add. */
import { canonicalJson } from '../../runtime/canonical-json.ts'
import { sha256Hex } from '../../runtime/sha256.ts'
import type { PodTemplate } from '../policy/workload.ts'

export const podTemplateHashLabel = 'pod-template-hash'

export function templateHash({ metadata = {}, spec }: PodTemplate): string {
  const { [podTemplateHashLabel]: _, ...labels } = metadata.labels ?? {}
  const { creationTimestamp: __, ...rest } = metadata as Readonly<Record<string, unknown>>
  const template = { metadata: { ...rest, labels, annotations: metadata.annotations ?? {} }, spec }
  return sha256Hex(canonicalJson(template)).slice(0, 16)
}
