/**
 * The three ways a gate can be: admission policies inside the API server, a webhook of ours, or workloads that rest with their gate shut.
 */
import {
  isAllowed,
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ResourceType,
  unless,
} from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { installationSelector } from '../labels.ts'
import { webhookConfigurationName } from './webhook-configuration.ts'

export const gateKinds = ['policies', 'webhook', 'at-rest'] as const
export type GateKind = (typeof gateKinds)[number]

const group = 'admissionregistration.k8s.io'
export const registrations = {
  policies: resources.mutatingAdmissionPolicies,
  bindings: resources.mutatingAdmissionPolicyBindings,
  validatingPolicies: resources.validatingAdmissionPolicies,
  validatingBindings: resources.validatingAdmissionPolicyBindings,
  webhooks: resources.mutatingWebhookConfigurations,
  validatingWebhooks: resources.validatingWebhookConfigurations,
} as const

/** The best gate that the API server has and that is there already or may be made. */
export async function bestGate(client: KubeClient): Promise<GateKind> {
  const served = await servedResources(client)
  const { policies, bindings, webhooks } = registrations
  const isServed = ({ resource }: ResourceType) => served.has(resource)
  if (isServed(policies) && isServed(bindings)) {
    if ((await installedPolicy(client)) !== undefined) return 'policies'
    if ((await mayWrite(client, policies)) && (await mayWrite(client, bindings))) return 'policies'
  }
  if (isServed(webhooks)) {
    const isThere = (await installedWebhook(client)) !== undefined
    if (isThere ? await may(client, webhooks, 'patch') : await mayWrite(client, webhooks)) return 'webhook'
  }
  return 'at-rest'
}

/** One of the policies of the gate that is there, of whatever version; all of them name the same engine. */
export async function installedPolicy<T extends KubeObject>(client: KubeClient): Promise<T | undefined> {
  const policies = client.of<T>(registrations.policies)
  const found = await policies.list({ labelSelector: installationSelector, limit: 1 }).catch(ifHidden)
  return found?.items[0]
}

export function installedWebhook<T extends KubeObject>(client: KubeClient): Promise<T | undefined> {
  return client.of<T>(registrations.webhooks).get(webhookConfigurationName).catch(ifHidden)
}

const ifHidden = unless(isNotFound, isForbidden)

/** What the API server has of admission registration, whatever the user may do with it. */
async function servedResources(client: KubeClient): Promise<ReadonlySet<string>> {
  const list = (await client.raw('GET', `/apis/${group}/v1`)) as {
    readonly resources: readonly { readonly name: string }[]
  }
  return new Set(list.resources.map(({ name }) => name))
}

async function mayWrite(client: KubeClient, type: ResourceType): Promise<boolean> {
  return (await isAllowed(client, { verb: 'create', group, resource: type.resource })) && may(client, type, 'patch')
}

function may(client: KubeClient, { resource }: ResourceType, verb: string): Promise<boolean> {
  return isAllowed(client, { verb, group, resource, name: webhookConfigurationName })
}

/** The user name that the API server sees when this client writes. */
export async function userNameOf(client: KubeClient): Promise<string> {
  const review = (await client.raw('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
  })) as { readonly status: { readonly userInfo: { readonly username: string } } }
  return review.status.userInfo.username
}
