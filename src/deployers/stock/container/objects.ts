/** The objects a run needs besides its pod: the input, image credentials, and the rights of the `wait` container. */
import {
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ResourceType,
} from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import type { JsonObject } from '../../../runtime/index.ts'
import type { EmbeddedResource } from '../../resources/types.ts'
import type { ContainerConfiguration } from './configuration.ts'
import { inputSecretName, pullSecretName, serviceAccount } from './pod.ts'

export interface RunObjects {
  readonly client: KubeClient
  readonly run: string
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

export async function createInput(
  { client, run, namespace, labels, signal }: RunObjects,
  raw: EmbeddedResource | undefined,
  config: ContainerConfiguration,
  registries: JsonObject | undefined,
): Promise<void> {
  const { importValues, componentDescriptor, content } = config
  const stringData: Record<string, string> = {
    'configuration.json': JSON.stringify(raw ?? {}),
    'import.json': JSON.stringify(importValues),
  }
  if (componentDescriptor !== undefined) stringData['component_descriptor.json'] = JSON.stringify(componentDescriptor)
  for (const [index, text] of Object.values(content).entries()) stringData[`content-${index}`] = text
  const secret = (name: string, type: string, data: Record<string, string>) =>
    createIfAbsent(
      client,
      resources.secrets,
      { metadata: { name, namespace, labels: { ...labels } }, type, stringData: data },
      signal,
    )
  await secret(inputSecretName(run), 'Opaque', stringData)
  if (registries !== undefined)
    await secret(pullSecretName(run), 'kubernetes.io/dockerconfigjson', {
      '.dockerconfigjson': JSON.stringify(registries),
    })
}

/** The `wait` container may read pods and create secrets in its namespace. */
export async function createWaitRights({ client, namespace, signal }: RunObjects): Promise<void> {
  const metadata = { name: serviceAccount, namespace }
  await createIfAbsent(client, resources.serviceAccounts, { metadata }, signal)
  const rules = [
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  ]
  await createIfAbsent(client, resources.roles, { metadata, rules }, signal)
  await createIfAbsent(
    client,
    resources.roleBindings,
    {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: serviceAccount },
      subjects: [{ kind: 'ServiceAccount', name: serviceAccount, namespace }],
    },
    signal,
  )
}

/** Creates an object unless it exists. Names are derived from the run, so an existing object is the right one. */
export async function createIfAbsent(
  client: KubeClient,
  type: ResourceType,
  object: { readonly metadata: KubeObject['metadata']; readonly [field: string]: unknown },
  signal: AbortSignal,
): Promise<void> {
  const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`
  try {
    await client.of(type).create({ apiVersion, kind: type.kind, ...object }, { signal })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

export async function deleteObjects(
  client: KubeClient,
  type: ResourceType,
  { namespace, signal }: Pick<RunObjects, 'namespace' | 'signal'>,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    try {
      await client.of(type).delete(name, { namespace, propagationPolicy: 'Background', signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}
