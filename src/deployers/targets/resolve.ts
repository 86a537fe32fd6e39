/**
 * Finds the kubeconfig of a run: in the item, in its Target, or in a secret that the Target refers to. Reads at most one secret per cluster
 * and caches nothing. The deployer may read secrets that the author of a Target may not, so a Target uses only secrets of its own namespace
 * unless an administrator allows others.
 */
import { isForbidden, isNotFound, type KubeClient, type KubeObject } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { isJsonObject, type Json, textFromBase64 } from '../../runtime/index.ts'
import type { TargetRequest } from '../library/deployer.ts'
import { configurationProblem } from '../library/errors.ts'
import { targetMissing } from '../library/references.ts'
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

/** Lets the Targets of one namespace refer to secrets of another namespace. */
export interface SecretGrant {
  /** The namespace of the Targets. */
  readonly targets: string
  /** The namespace of the secrets. */
  readonly secrets: string
  /** The cluster of the deploy items, or the cluster the deployer runs in. @default landscaper */
  readonly cluster?: 'landscaper' | 'host'
}

export async function resolveAccess(request: TargetRequest, grants: readonly SecretGrant[] = []): Promise<Access> {
  const { namespace, name } = request.deployItem.metadata
  const item = `deploy item "${namespace}/${name}"`
  if (request.kubeconfig !== undefined && request.kubeconfig !== '') {
    const text = decoded(request.kubeconfig)
    if (text === undefined) throw problem(`${item}: spec.config.kubeconfig is not base64`)
    const version = versionOf(request.deployItem, 'spec.config.kubeconfig')
    return { kind: 'kubeconfig', text, version, name: `${item}: spec.config.kubeconfig` }
  }
  const { name: wanted } = request.deployItem.spec.target ?? {}
  if (request.target === undefined && wanted !== undefined) throw targetMissing(request.deployItem, wanted)
  if (request.target === undefined) throw problem(`${item}: spec.target is missing, and spec.config has no kubeconfig`)
  return accessOfTarget(request.target, request, grants)
}

async function accessOfTarget(target: Target, request: TargetRequest, grants: readonly SecretGrant[]): Promise<Access> {
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
  return { kind: 'kubeconfig', ...(await fromSecret(reference, target, request, grants)), name }
}

async function fromSecret(
  reference: Json,
  target: Target,
  request: TargetRequest,
  grants: readonly SecretGrant[],
): Promise<KubeconfigText> {
  const { namespace: home = '', name } = target.metadata
  const field = `target "${home}/${name}": spec.config.kubeconfig.secretRef`
  const { name: secretName, namespace = home, key = 'kubeconfig' } = isJsonObject(reference) ? reference : {}
  if (typeof secretName !== 'string' || secretName === '') throw problem(`${field}.name is missing`)
  if (typeof namespace !== 'string') throw problem(`${field}.namespace is not a name`)
  if (typeof key !== 'string') throw problem(`${field}.key is not a name`)
  const where = { namespace, name: secretName }
  const granted = (cluster: SecretGrant['cluster']) =>
    grants.some((one) => one.targets === home && one.secrets === namespace && (one.cluster ?? 'landscaper') === cluster)
  const isReadable = { landscaper: namespace === home || granted('landscaper'), host: granted('host') }
  if (!isReadable.landscaper && !isReadable.host)
    throw problem(
      `${field}.namespace is "${namespace}", but a Target uses only secrets of its own namespace "${home}": move the secret there, or let an administrator add the pair to targets.secretNamespaces of the deployers' configuration`,
    )
  const { landscaper, host, signal } = request
  const secret =
    (isReadable.landscaper ? await readSecret(landscaper, where, signal) : undefined) ??
    (isReadable.host ? await readSecret(host, where, signal) : undefined)
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
