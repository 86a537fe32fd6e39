/** What the cluster lets the gate be, and whom it takes the engine for. */
import type { KubeClient } from '../../kube/client/client.ts'

/** Admission policies where the API server has them: then no process of ours stands in the way of a write. */
export async function detectGate(client: KubeClient): Promise<'policies' | 'webhook'> {
  const list = (await client.raw('GET', '/apis/admissionregistration.k8s.io/v1')) as {
    readonly resources: readonly { readonly name: string }[]
  }
  return list.resources.some(({ name }) => name === 'mutatingadmissionpolicies') ? 'policies' : 'webhook'
}

/** The user name that the API server sees when this client writes. */
export async function userNameOf(client: KubeClient): Promise<string> {
  const review = (await client.raw('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
  })) as { readonly status: { readonly userInfo: { readonly username: string } } }
  return review.status.userInfo.username
}
