/**
 * What a hook of configuration is told of an item and its target. It leaves this process, so it has no credentials, and digests in place of
 * the values of Secrets and of helm: equal values have equal digests, so that a hook sees what has changed. A binding can name values that
 * it gets in the clear.
 */
import type { KubeObject } from '../../kube/index.ts'
import { hmacSha256, isJsonObject, type Json, type JsonObject } from '../../runtime/index.ts'
import type { DeployItem, Target } from '../resources/types.ts'

export interface PayloadOptions {
  /** `Secret/NAME/KEY`, or a path in `spec.config` below one of the digested fields: `values/image/tag`. */
  readonly values: readonly string[]
  /** Unknown to the hook, so that it cannot find short values by trying. */
  readonly salt: Uint8Array
}

const encoder = new TextEncoder()

/** The fields of `spec.config` with values of the author: of helm, container and mock items. */
const valueFields: ReadonlySet<string> = new Set(['values', 'importValues', 'export'])

/** Whether a binding can name a value like this. */
export function isValueName(name: string): boolean {
  const [field = '', ...rest] = name.split('/')
  return field === 'Secret' ? rest.length === 2 && !rest.includes('') : valueFields.has(field)
}

export function payloadOfItem(item: DeployItem, options: PayloadOptions): Json {
  const { config } = item.spec
  const spec = config === undefined ? item.spec : { ...item.spec, config: withoutSecrets(config, options) }
  const { providerStatus, ...status } = item.status ?? {}
  const own = providerStatus === undefined ? {} : { providerStatus: secretsDigested(providerStatus, options) }
  return {
    ...item,
    metadata: withoutLastApplied(item.metadata),
    spec,
    ...(item.status === undefined ? {} : { status: { ...status, ...own } }),
  } as unknown as Json
}

export function payloadOfTarget({ metadata, spec }: Target): Json {
  return { metadata: withoutLastApplied(metadata), spec: { type: spec.type } } as unknown as Json
}

/** `kubectl apply` keeps a copy of the whole object in this annotation, including a kubeconfig and the data of a Secret. */
const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration'

function withoutLastApplied({ annotations, ...metadata }: KubeObject['metadata']): KubeObject['metadata'] {
  if (annotations === undefined) return metadata
  const { [lastAppliedAnnotation]: _, ...others } = annotations
  return { ...metadata, annotations: others }
}

function withoutSecrets(config: JsonObject, options: PayloadOptions): JsonObject {
  const fields = Object.entries(config).flatMap(([field, value]): [string, Json][] => {
    if (field === 'kubeconfig') return []
    if (valueFields.has(field)) return [[field, digested(value, field, options)]]
    if (field === 'chart') return [[field, withoutArchive(value, options)]]
    return [[field, secretsDigested(value, options)]]
  })
  return Object.fromEntries(fields)
}

/** Digests the scalars below `path`, and keeps the names of the fields. */
function digested(value: Json, path: string, options: PayloadOptions): Json {
  if (options.values.includes(path)) return value
  if (value === null) return null
  if (Array.isArray(value))
    return (value as readonly Json[]).map((item, index) => digested(item, `${path}/${index}`, options))
  if (isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, below]) => [key, digested(below, `${path}/${key}`, options)]),
    )
  return `digest:${hex(hmacSha256(options.salt, encoder.encode(JSON.stringify(value)))).slice(0, 32)}`
}

/** Digests the data of every Secret, also of those in lists. */
function secretsDigested(value: Json, options: PayloadOptions): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => secretsDigested(item, options))
  if (!isJsonObject(value)) return value
  if (value['kind'] === 'Secret') return secretDigested(value, options)
  return Object.fromEntries(Object.entries(value).map(([key, below]) => [key, secretsDigested(below, options)]))
}

function secretDigested(secret: JsonObject, options: PayloadOptions): JsonObject {
  const { metadata } = secret
  const name = isJsonObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : ''
  const fields = Object.entries(secret).map(([field, value]): [string, Json] => {
    if (field === 'data' || field === 'stringData') return [field, digested(value, `Secret/${name}`, options)]
    if (field === 'metadata' && isJsonObject(value))
      return [field, withoutLastApplied(value as unknown as KubeObject['metadata']) as unknown as Json]
    return [field, secretsDigested(value, options)]
  })
  return Object.fromEntries(fields)
}

/** A packed chart is long and can contain values; an address can contain a password. */
function withoutArchive(chart: Json, options: PayloadOptions): Json {
  if (Array.isArray(chart)) return (chart as readonly Json[]).map((item) => withoutArchive(item, options))
  if (typeof chart === 'string') return chart.replace(/\/\/[^/@\s]*@/g, '//').replace(/\?.*/s, '')
  if (!isJsonObject(chart)) return chart
  return Object.fromEntries(
    Object.entries(chart).map(([key, below]) => [
      key,
      key === 'raw' ? digested(below, 'chart/archive/raw', options) : withoutArchive(below, options),
    ]),
  )
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
