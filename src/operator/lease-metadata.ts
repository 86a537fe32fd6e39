/** What the Lease of an operator tells about it, so that it is found under every name and in every namespace. */
import type { Lease } from '../kube/kinds/index.ts'

const versionAnnotation = 'carabiner.dev/version'
const surfacesAnnotation = 'carabiner.dev/surfaces'
const labels = { 'app.kubernetes.io/part-of': 'carabiner' }

/** Selects the Leases of operators. */
export const leaseSelector = 'app.kubernetes.io/part-of=carabiner'

export function leaseMetadata(version: string, surfaces: readonly string[]) {
  return { labels, annotations: { [versionAnnotation]: version, [surfacesAnnotation]: surfaces.join(',') } }
}

export interface LeaseHolder {
  readonly version: string | undefined
  readonly surfaces: readonly string[]
}

export function holderOf({ metadata }: Pick<Lease, 'metadata'>): LeaseHolder {
  const { [versionAnnotation]: version, [surfacesAnnotation]: surfaces = '' } = metadata.annotations ?? {}
  return { version, surfaces: surfaces.split(',').filter((name) => name !== '') }
}
