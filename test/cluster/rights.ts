/**
 * Waits for new permissions: an API server observes roles and bindings through watches, and refuses requests until it
 * has both.
 */
import { pollUntil } from './poll-until.ts'
import type { Cluster } from './suite.ts'

interface Rule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

interface Given {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly rules?: readonly Rule[]
}

/** Resolves when the server grants the user all permissions of the roles among these objects. */
export async function untilGranted(cluster: Cluster, user: string, objects: readonly Given[]): Promise<void> {
  for (const { kind, metadata, rules = [] } of objects) {
    if (kind !== 'Role' && kind !== 'ClusterRole') continue
    for (const { apiGroups = [], resources = [], resourceNames = [], verbs } of rules)
      for (const group of apiGroups)
        for (const [name = '', subresource = ''] of resources.map((one) => one.split('/'))) {
          const of = { group, resource: name, subresource, verb: verbs[0], name: resourceNames[0] ?? '' }
          await untilAllowed(cluster, user, { ...of, namespace: metadata.namespace ?? '' })
        }
  }
}

async function untilAllowed(cluster: Cluster, user: string, resourceAttributes: object): Promise<void> {
  const body = { spec: { user, resourceAttributes } }
  await pollUntil(
    `${user} may ${JSON.stringify(resourceAttributes)}`,
    () => cluster.call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { body }),
    ({ body: { status } }) => (status as { allowed?: boolean }).allowed === true,
  )
}
