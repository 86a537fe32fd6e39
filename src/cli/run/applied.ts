/** The line about an object that an installation has applied. */
import type { KubeObject } from '../../kube/index.ts'

export function appliedLine({ kind, metadata }: KubeObject): string {
  return `${kind.toLowerCase()}/${metadata.name} applied`
}
