/**
 * Finds the kubeconfig of a run: in the item, in its Target, or in a secret that the Target refers to. Reads at most one secret per cluster
 * and caches nothing.
 */
import { isForbidden, isNotFound, type KubeClient, type KubeObject } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { isJsonObject, type Json, textFromBase64 } from '../../runtime/index.ts'
import type { TargetRequest } from '../library/deployer.ts'
import { configurationProblem } from '../library/errors.ts'
import { kubernetesClusterTarget, type Target } from '../resources/types.ts'

/** `host` is the cluster the deployer runs in. */
export type Access =
  | (KubeconfigText & { readonly kind: 'kubeconfig'; readonly name: string })
  | { readonly kind: 'host'; readonly name: string }

interface KubeconfigText {
  readonly text: string
  /** Identifies the source: uid and resourceVersion of the object, and the field. Undefined when the object has no version. */
  readonly version: string | undefined
}

export async function resolveAccess(request: TargetRequest): Promise<Access> {
  const { namespace, name } = request.deployItem.metadata
  const item = `deploy item "${namespace}/${name}"`
  if (request.kubeconfig !== undefined && request.kubeconfig !== '') {
    const text = decoded(request.kubeconfig)
    if (text === undefined) throw problem(`${item}: spec.config.kubeconfig is not base64`)
    const version = versionOf(request.deployItem, 'spec.config.kubeconfig')
    return { kind: 'kubeconfig', text, version, name: `${item}: spec.config.kubeconfig` }
  }
  if (request.target === undefined) throw problem(`${item}: spec.target is missing, and spec.config has no kubeconfig`)
  return accessOfTarget(request.target, request)
}

async function accessOfTarget(target: Target, request: TargetRequest): Promise<Access> {
  const name = `target "${target.metadata.namespace}/${target.metadata.name}"`
  if (target.spec.type !== kubernetesClusterTarget)
    throw problem(`${name}: spec.type is "${target.spec.type}", but only ${kubernetesClusterTarget} can be used`)
  const { config } = target.spec
  if (!isJsonObject(config)) throw problem(`${name}: spec.config.kubeconfig is missing`)
  if (config['inCluster'] === true) return { kind: 'host', name }
  const { kubeconfig } = config
  if (typeof kubeconfig === 'string' && kubeconfig !== '')
    return { kind: 'kubeconfig', text: kubeconfig, version: versionOf(target, 'spec.config.kubeconfig'), name }
  const reference = isJsonObject(kubeconfig) ? kubeconfig['secretRef'] : undefined
  if (reference === undefined) throw problem(`${name}: spec.config.kubeconfig is neither text nor a secretRef`)
  return { kind: 'kubeconfig', ...(await fromSecret(reference, name, target, request)), name }
}

async function fromSecret(
  reference: Json,
  name: string,
  target: Target,
  request: TargetRequest,
): Promise<KubeconfigText> {
  const field = `${name}: spec.config.kubeconfig.secretRef`
  const {
    name: secretName,
    namespace = target.metadata.namespace,
    key = 'kubeconfig',
  } = isJsonObject(reference) ? reference : {}
  if (typeof secretName !== 'string' || secretName === '') throw problem(`${field}.name is missing`)
  if (typeof namespace !== 'string') throw problem(`${field}.namespace is not a name`)
  if (typeof key !== 'string') throw problem(`${field}.key is not a name`)
  const where = { namespace, name: secretName }
  const secret =
    (await readSecret(request.landscaper, where, request.signal)) ??
    (request.host === request.landscaper ? undefined : await readSecret(request.host, where, request.signal))
  if (secret === undefined)
    throw problem(`${field}: there is no secret "${namespace}/${secretName}", or the deployer may not read it`)
  const data = secret.data?.[key]
  if (data === undefined) throw problem(`${field}: the secret "${namespace}/${secretName}" has no key "${key}"`)
  return { text: decoded(data) ?? '', version: versionOf(secret, `data.${key}`) }
}

type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> }

async function readSecret(
  client: KubeClient,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<Secret | undefined> {
  try {
    return await client.of<Secret>(resources.secrets).get(name, { namespace, signal })
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined
    throw error
  }
}

function versionOf({ metadata: { uid, resourceVersion } }: KubeObject, field: string): string | undefined {
  return uid === undefined || resourceVersion === undefined ? undefined : `${uid} ${resourceVersion} ${field}`
}

function decoded(base64: string): string | undefined {
  try {
    return textFromBase64(base64)
  } catch {
    return undefined
  }
}

function problem(message: string): Error {
  return configurationProblem('ConnectTarget', `${message}.`)
}
