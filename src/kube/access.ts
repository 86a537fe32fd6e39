/** Asks the API server whether the user of the client is allowed to do something. */
import type { KubeClient } from './client/client.ts'

export interface AccessAttributes {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource?: string
  /** All namespaces when absent. */
  readonly namespace?: string
  /** All names when absent. */
  readonly name?: string
}

export async function isAllowed(client: KubeClient, resourceAttributes: AccessAttributes): Promise<boolean> {
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } }
  const review = await client.raw('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', body)
  return (review as { readonly status: { readonly allowed: boolean } }).status.allowed
}
