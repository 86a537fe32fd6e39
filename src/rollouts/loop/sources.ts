/** Which policies a change of an object is about. */
import { source } from '../../kube/controller/index.ts'
import { policyLabel } from '../labels.ts'
import type { Caches, Owned } from '../observe/index.ts'

export function sourcesOf(caches: Caches) {
  const byTarget = ({ target }: { readonly target: string }) =>
    caches.policies.by('target', target).map(({ key }) => key)
  const workloadsByUid = (uid: string) => Object.values(caches.workloads).flatMap((cache) => cache.by('uid', uid))
  // Pods of a Deployment belong to a ReplicaSet, which belongs to the Deployment.
  const byOwner = ({ owner }: Owned<unknown>): string[] => {
    const through = caches.revisions
      .flatMap((cache) => cache.by('uid', owner))
      .flatMap((revision) => workloadsByUid(revision.owner))
    return [...workloadsByUid(owner), ...through].flatMap(byTarget)
  }
  return [
    source(caches.policies, byTarget),
    ...Object.values(caches.workloads).map((cache) => source(cache, byTarget)),
    ...caches.revisions.map((cache) => source(cache, byOwner)),
    source(caches.pods, byOwner),
    ...caches.hooks.map((cache) => source(cache, ({ namespace, labels }) => [`${namespace}/${labels[policyLabel]}`])),
  ]
}
