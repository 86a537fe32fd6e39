/** Asks the API server what the client's own user may do. */
import type { KubeClient } from './client/client.ts'

export interface Attempt {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource?: string
  /** All namespaces when absent. */
  readonly namespace?: string
  /** All names when absent. */
  readonly name?: string
}

export async function mayI(client: KubeClient, resourceAttributes: Attempt): Promise<boolean> {
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } }
  const review = await client.raw('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', body)
  return (review as { readonly status: { readonly allowed: boolean } }).status.allowed
}
