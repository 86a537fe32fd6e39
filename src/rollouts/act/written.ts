/** What the caches must show before the policy is decided about again: versions reached, or an object. */
import type { KubeObject } from '../../kube/index.ts'

export interface Written {
  readonly policy?: string
  readonly workload?: string
  /** Of the workload; only a change of its spec raises it. */
  readonly generation?: string
  /** The uid of the revision that was created. */
  readonly revision?: string
}

export const nothingWritten: Written = {}

/** Only the version of the answer is read; everything else comes from the caches. */
export const metadataOnly = { answer: 'metadata' } as const

export function versionOf(name: 'policy' | 'workload', { metadata }: KubeObject): Written {
  const { resourceVersion, generation } = metadata
  return {
    ...(resourceVersion === undefined ? {} : { [name]: resourceVersion }),
    ...(name === 'policy' || generation === undefined ? {} : { generation: String(generation) }),
  }
}
