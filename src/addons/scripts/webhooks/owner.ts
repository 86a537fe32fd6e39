/** How objects that an operator wrote for its hooks tell whose they are: several operators may live in one cluster, each with hooks of its own. */
import type { KubeObject } from '../../../kube/object.ts'

const label = 'carabiner.dev/script-webhooks'
const annotation = 'carabiner.dev/served-by'

/** Finds everything that any operator wrote. */
export const markSelector = `${label}=true`

export function markOf(owner: string) {
  return { labels: { [label]: 'true' }, annotations: { [annotation]: owner } }
}

/** For a merge patch that takes the mark away. */
export const noMark = { labels: { [label]: null }, annotations: { [annotation]: null } }

export function isOurs({ metadata }: KubeObject, owner: string): boolean {
  return metadata.labels?.[label] === 'true' && metadata.annotations?.[annotation] === owner
}
