/** Marks of ownership on webhook configurations and definitions, because several operators with different hooks may run in one cluster. */
import type { KubeObject } from '../../../kube/index.ts'

const label = 'carabiner.dev/script-webhooks'
const annotation = 'carabiner.dev/served-by'

/** Selects the objects of all operators. */
export const markSelector = `${label}=true`

export function markOf(owner: string) {
  return { labels: { [label]: 'true' }, annotations: { [annotation]: owner } }
}

/** A merge patch that removes the mark. */
export const noMark = { labels: { [label]: null }, annotations: { [annotation]: null } }

export function isOurs({ metadata }: KubeObject, owner: string): boolean {
  return metadata.labels?.[label] === 'true' && metadata.annotations?.[annotation] === owner
}
