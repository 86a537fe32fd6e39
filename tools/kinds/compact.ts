/**
 * Turns OpenAPI definitions into the one-line notation of the type model: `[]core.v1.EnvVar map=name merge=name`. The notation is
 * described, and read back, in `src/sandbox/apiserver/types/notation.ts`.
 */
interface OpenApiSchema {
  description?: string
  type?: string
  format?: string
  $ref?: string
  allOf?: OpenApiSchema[]
  oneOf?: OpenApiSchema[]
  items?: OpenApiSchema
  additionalProperties?: OpenApiSchema
  properties?: Record<string, OpenApiSchema>
  required?: string[]
  enum?: string[]
  default?: unknown
  [extension: `x-kubernetes-${string}`]: unknown
}

export type Definitions = Record<string, OpenApiSchema>

export interface CompactDefinition {
  type?: string
  required?: string[]
  atomic?: true
  unions?: unknown
  fields?: Record<string, string>
}

export function shortName(reference: string): string {
  return reference
    .replace('#/components/schemas/', '')
    .replace(/^io\.k8s\.api\./, '')
    .replace(/^io\.k8s\.apimachinery\.pkg\.apis\.meta\./, 'meta.')
    .replace(/^io\.k8s\.apiextensions-apiserver\.pkg\.apis\./, '')
}

const scalars: Record<string, string> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'quantity',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'int-or-string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'string/date-time-micro',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 'string/date-time',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'object',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': 'object/meta.v1.FieldsV1',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus':
    'object/apiextensions.v1.CustomResourceSubresourceStatus',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': 'any/apiextensions.v1.JSON',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray':
    'any/apiextensions.v1.JSONSchemaPropsOrArray',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool':
    'any/apiextensions.v1.JSONSchemaPropsOrBool',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray':
    'any/apiextensions.v1.JSONSchemaPropsOrStringArray',
}

function referenceOf(schema: OpenApiSchema): string | undefined {
  return schema.$ref ?? schema.allOf?.[0]?.$ref
}

function typeOf(schema: OpenApiSchema): string {
  const reference = referenceOf(schema)
  if (reference !== undefined) {
    return scalars[reference.replace('#/components/schemas/', '')] ?? shortName(reference)
  }
  if (schema.type === 'array') return `[]${typeOf(schema.items ?? {})}`
  if (schema.additionalProperties !== undefined) return `{}${typeOf(schema.additionalProperties)}`
  if (schema.type === undefined) return 'any'
  return schema.format === undefined ? schema.type : `${schema.type}/${schema.format}`
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false || (typeof value === 'object' && JSON.stringify(value) === '{}')
}

/** An explicit default of zero on a field that is omitted when it is zero. */
function isStatedZero(schema: OpenApiSchema): boolean {
  return schema.default === 0 && schema.description?.includes('Defaults to 0') === true
}

function notation(schema: OpenApiSchema): string {
  const words = [typeOf(schema)]
  const listType = schema['x-kubernetes-list-type']
  if (listType === 'map') words.push(`map=${(schema['x-kubernetes-list-map-keys'] as string[]).join(',')}`)
  else if (typeof listType === 'string') words.push(listType)
  if (schema['x-kubernetes-map-type'] === 'atomic') words.push('atomic')
  const strategy = schema['x-kubernetes-patch-strategy']
  if (typeof strategy === 'string') words.push(`patch=${strategy}`)
  const mergeKey = schema['x-kubernetes-patch-merge-key']
  if (typeof mergeKey === 'string') words.push(`key=${mergeKey}`)
  const values = schema.enum ?? schema.items?.enum
  if (values !== undefined) words.push(`enum=${values.join('|')}`)
  if (schema.default !== undefined && !isStatedZero(schema)) {
    words.push(isZero(schema.default) ? 'always' : `default=${schema.default}`)
  }
  return words.join(' ')
}

export function compact(schema: OpenApiSchema): CompactDefinition {
  const result: CompactDefinition = {}
  if (schema.properties === undefined) result.type = typeOf(schema)
  if (schema.required !== undefined) result.required = schema.required
  if (schema['x-kubernetes-map-type'] === 'atomic') result.atomic = true
  if (schema['x-kubernetes-unions'] !== undefined) result.unions = schema['x-kubernetes-unions']
  if (schema.properties !== undefined) {
    result.fields = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, notation(property)]),
    )
  }
  return result
}

/** Names of all definitions that `schema` refers to, without those with their own notation. */
export function mentions(schema: OpenApiSchema): string[] {
  const own = referenceOf(schema)?.replace('#/components/schemas/', '')
  const children = [schema.items, schema.additionalProperties, ...Object.values(schema.properties ?? {})]
  return [
    ...(own === undefined || own in scalars ? [] : [own]),
    ...children.flatMap((child) => (child === undefined ? [] : mentions(child))),
  ]
}
