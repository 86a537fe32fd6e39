/**
 * Registers admission hooks in one ValidatingWebhookConfiguration and one MutatingWebhookConfiguration. Each is written as a whole, so that
 * removed bindings disappear from it.
 */
import {
  clientConfig,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ReachedBy,
  type ResourceClient,
  type ResourceType,
} from '../../../kube/index.ts'
import { textToBase64 } from '../../../runtime/index.ts'
import type { AdmissionEndpoint } from './admission.ts'
import { isOurs, markOf } from './owner.ts'

export interface AdmissionRegistration {
  /** The name of both configurations. */
  readonly name: string
  /** For bindings without their own. */
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
    const desired: Configuration = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: kinds[type],
      metadata: { name: registration.name, ...markOf(registration.owner) },
      webhooks,
    }
    if (webhooks.length > 0) await replace(client.of<Configuration>(typeOf(type)), desired)
  }
}

/** Deletes configurations of an earlier start when no hook has such bindings any more. */
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
      // Without permission to read them this operator never registered any.
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

async function replace(configurations: ResourceClient<Configuration>, desired: Configuration): Promise<void> {
  for (;;) {
    try {
      const found = await configurations.get(desired.metadata.name).catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
      if (found === undefined) await configurations.create(desired)
      else await configurations.update({ ...desired, metadata: merged(found, desired) })
      return
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error)) throw error
    }
  }
}

function merged(found: Configuration, desired: Configuration): KubeObject['metadata'] {
  return {
    ...found.metadata,
    labels: { ...found.metadata.labels, ...desired.metadata.labels },
    annotations: { ...found.metadata.annotations, ...desired.metadata.annotations },
  }
}
