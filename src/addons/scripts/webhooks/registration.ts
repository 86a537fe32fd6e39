/**
 * The registrations of admission hooks: one configuration that validates and one that changes. Each is written as a whole, so that what is bound no
 * longer is gone from it.
 */
import type { KubeClient, ResourceClient } from '../../../kube/client/client.ts'
import { isAlreadyExists, isConflict, isForbidden, isNotFound } from '../../../kube/errors.ts'
import type { KubeObject, ResourceType } from '../../../kube/object.ts'
import { clientConfig, type ReachedBy } from '../../../kube/serving/place.ts'
import { textToBase64 } from '../../../runtime/base64.ts'
import type { AdmissionEndpoint } from './admission.ts'
import { isOurs, markOf } from './owner.ts'

export interface AdmissionRegistration {
  /** Of both configurations. */
  readonly name: string
  /** Of bindings that say none. */
  readonly failurePolicy: 'Fail' | 'Ignore'
  readonly owner: string
}

type Configuration = KubeObject & { readonly webhooks?: readonly object[] }

const kinds = { Validating: 'ValidatingWebhookConfiguration', Mutating: 'MutatingWebhookConfiguration' } as const

function typeOf(type: keyof typeof kinds): ResourceType {
  const kind = kinds[type]
  const resource = `${kind.toLowerCase()}s`
  return { group: 'admissionregistration.k8s.io', version: 'v1', resource, kind, namespaced: false }
}

export async function registerAdmission(
  client: KubeClient,
  endpoints: readonly AdmissionEndpoint[],
  registration: AdmissionRegistration,
  { reached, ca }: { readonly reached: ReachedBy; readonly ca: string },
): Promise<void> {
  for (const type of ['Validating', 'Mutating'] as const) {
    const webhooks = endpoints
      .filter((endpoint) => endpoint.type === type)
      .map((endpoint) => webhookOf(endpoint, registration.failurePolicy, { reached, ca }))
    const wanted: Configuration = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: kinds[type],
      metadata: { name: registration.name, ...markOf(registration.owner) },
      webhooks,
    }
    if (webhooks.length > 0) await replace(client.of<Configuration>(typeOf(type)), wanted)
  }
}

/** Removes what an earlier start of ours has registered and nobody binds any more. */
export async function unregisterAdmission(
  client: KubeClient,
  endpoints: readonly AdmissionEndpoint[],
  { name, owner }: AdmissionRegistration,
): Promise<void> {
  for (const type of ['Validating', 'Mutating'] as const) {
    if (endpoints.some((endpoint) => endpoint.type === type)) continue
    const configurations = client.of(typeOf(type))
    try {
      const found = await configurations.get(name)
      if (isOurs(found, owner)) await configurations.delete(name)
    } catch (error) {
      // Whoever may not look has never registered anything.
      if (!isNotFound(error) && !isForbidden(error)) throw error
    }
  }
}

export function webhookOf(
  { binding, path }: AdmissionEndpoint,
  failurePolicy: AdmissionRegistration['failurePolicy'],
  { reached, ca }: { readonly reached: ReachedBy; readonly ca: string },
): object {
  const { name, rules, sideEffects, timeoutSeconds, matchConditions, objectSelector, namespaceSelector } = binding
  return {
    name,
    rules,
    failurePolicy: binding.failurePolicy ?? failurePolicy,
    matchPolicy: 'Equivalent',
    sideEffects,
    timeoutSeconds,
    admissionReviewVersions: ['v1'],
    clientConfig: { ...clientConfig(reached, path), caBundle: textToBase64(ca) },
    ...(matchConditions.length === 0 ? {} : { matchConditions }),
    ...(objectSelector === undefined ? {} : { objectSelector }),
    ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
  }
}

async function replace(configurations: ResourceClient<Configuration>, wanted: Configuration): Promise<void> {
  for (;;) {
    try {
      const found = await configurations.get(wanted.metadata.name).catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
      if (found === undefined) await configurations.create(wanted)
      else await configurations.update({ ...wanted, metadata: merged(found, wanted) })
      return
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error)) throw error
    }
  }
}

function merged(found: Configuration, wanted: Configuration): KubeObject['metadata'] {
  return {
    ...found.metadata,
    labels: { ...found.metadata.labels, ...wanted.metadata.labels },
    annotations: { ...found.metadata.annotations, ...wanted.metadata.annotations },
  }
}
