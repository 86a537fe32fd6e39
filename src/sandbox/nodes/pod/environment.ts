/**
 * The environment variables of a container: values, references to ConfigMaps, Secrets and pod fields, and `$(NAME)`
 * expansion.
 */
import type { Container, EnvFromSource, EnvVarSource, Pod } from '../../../kube/kinds/index.ts'
import { quantity } from '../../kinds/quantity.ts'
import type { StartRequest } from '../engine.ts'
import { expand } from './expand.ts'
import { MissingReference, type References, type Values } from './references.ts'

type Where = Pick<StartRequest, 'pod' | 'container' | 'podIP' | 'hostIP' | 'nodeName'>

export function fieldValue(
  path: string,
  { pod, podIP, hostIP, nodeName }: Omit<Where, 'container'>,
): string | undefined {
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path)
  if (keyed !== null) return pod.metadata[keyed[1] as 'labels' | 'annotations']?.[keyed[2] ?? ''] ?? ''
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': pod.metadata.name,
    'metadata.namespace': pod.metadata.namespace,
    'metadata.uid': pod.metadata.uid,
    'spec.nodeName': nodeName,
    'spec.serviceAccountName': pod.spec.serviceAccountName ?? 'default',
    'status.podIP': podIP,
    'status.podIPs': podIP,
    'status.hostIP': hostIP,
    'status.hostIPs': hostIP,
  }
  return fields[path]
}

function resourceValue(
  container: Container,
  pod: Pod,
  reference: NonNullable<EnvVarSource['resourceFieldRef']>,
): string {
  const named = pod.spec.containers.find(({ name }) => name === reference.containerName) ?? container
  const [kind = '', name = ''] = reference.resource.split(/\.(.*)/)
  const value = named.resources?.[kind as 'limits' | 'requests']?.[name]
  const divisor = quantity(reference.divisor) || 1
  return String(Math.ceil(quantity(value) / divisor))
}

export class Environment {
  readonly #references: References
  readonly #base: Values

  /** `base` contains the variables of every container. */
  constructor(references: References, base: Values) {
    this.#references = references
    this.#base = base
  }

  /** Rejects with `MissingReference` when a required reference does not exist. */
  async of(where: Where): Promise<Record<string, string>> {
    const { container } = where
    const result: Record<string, string> = { ...this.#base }
    for (const source of container.envFrom ?? []) Object.assign(result, await this.#all(where.pod, source))
    for (const { name, value, valueFrom } of container.env ?? []) {
      if (valueFrom === undefined) {
        result[name] = expand(value ?? '', result)
        continue
      }
      const found = await this.#one(where, valueFrom)
      if (found !== undefined) result[name] = found
    }
    return result
  }

  async #all(pod: Pod, { prefix = '', configMapRef, secretRef }: EnvFromSource): Promise<Values> {
    const reference = configMapRef ?? secretRef
    if (reference === undefined) return {}
    const kind = configMapRef === undefined ? 'secret' : 'configmap'
    const { name, optional = false } = reference
    const data = await this.#references.data(pod, { kind, name, optional })
    return Object.fromEntries(Object.entries(data ?? {}).map(([name, value]) => [`${prefix}${name}`, value]))
  }

  async #one(where: Where, source: EnvVarSource): Promise<string | undefined> {
    const { pod, container } = where
    if (source.fieldRef !== undefined) return fieldValue(source.fieldRef.fieldPath, where)
    if (source.resourceFieldRef !== undefined) return resourceValue(container, pod, source.resourceFieldRef)
    const reference = source.configMapKeyRef ?? source.secretKeyRef
    if (reference === undefined) return undefined
    const kind = source.configMapKeyRef === undefined ? 'secret' : 'configmap'
    const { optional = false } = reference
    const data = await this.#references.data(pod, { kind, name: reference.name, optional })
    const value = data?.[reference.key]
    if (value === undefined && !optional) {
      const name = kind === 'secret' ? 'Secret' : 'ConfigMap'
      throw new MissingReference(
        `couldn't find key ${reference.key} in ${name} ${pod.metadata.namespace}/${reference.name}`,
      )
    }
    return value
  }
}
