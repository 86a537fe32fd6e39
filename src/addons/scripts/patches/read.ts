/** Parses `KUBERNETES_PATCH_PATH`: a stream of JSON objects, or YAML documents. */
import { type CompileOptions, compile } from '../../../jq/index.ts'
import type { KubeObject } from '../../../kube/index.ts'
import { parseYaml } from '../../../kube/manifest/index.ts'
import { type Operation, readOperations } from '../../../patch/index.ts'
import { isJsonObject, type JsonObject } from '../../../runtime/index.ts'
import { Fields } from '../config/fields.ts'
import { Findings, shown } from '../config/findings.ts'
import { readDocuments } from './documents.ts'
import type { CreateOperation, ObjectOperation, ObjectTarget } from './operation.ts'

export interface ReadPatches {
  readonly operations: readonly ObjectOperation[]
  readonly errors: readonly string[]
  /** Ignored keys. */
  readonly warnings: readonly string[]
}

const file = 'KUBERNETES_PATCH_PATH'

const operationNames = [
  'Create',
  'CreateIfNotExists',
  'CreateOrUpdate',
  'Delete',
  'DeleteInBackground',
  'DeleteNonCascading',
  'JQPatch',
  'MergePatch',
  'JSONPatch',
] as const

const none: ReadPatches = { operations: [], errors: [], warnings: [] }

export function readPatches(text: string, jq: CompileOptions): ReadPatches {
  if (text === '') return none
  try {
    return readPatchDocuments(readDocuments(text), jq)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { ...none, errors: [`${file}: neither JSON nor YAML: ${why.replace(/^line:/, 'line ')}`] }
  }
}

/** The same for parsed documents. */
export function readPatchDocuments(documents: readonly unknown[], jq: CompileOptions): ReadPatches {
  const findings = new Findings()
  const operations = documents.flatMap((document, index) => {
    const place = `${file}[${index}]`
    if (document === undefined || document === null) return []
    if (isJsonObject(document)) return readOperation(new Fields(document, place, findings, 'lenient'), jq) ?? []
    findings.error(place, `must be an object, not ${shown(document)}`)
    return []
  })
  return { operations, errors: findings.errors, warnings: findings.warnings }
}

function readOperation(fields: Fields, jq: CompileOptions): ObjectOperation | undefined {
  const operation = fields.choice('operation', operationNames)
  if (!fields.has('operation')) fields.error('operation', `is required: one of ${operationNames.join(', ')}`)
  const ignoreHookError = fields.boolean('ignoreHookError') ?? false
  const read = operation === undefined ? undefined : readAs(operation, fields, jq)
  if (operation !== undefined) fields.end()
  return read === undefined ? undefined : { ...read, ignoreHookError }
}

type Read = ObjectOperation extends infer Each
  ? Each extends ObjectOperation
    ? Omit<Each, 'ignoreHookError'>
    : never
  : never

function readAs(operation: (typeof operationNames)[number], fields: Fields, jq: CompileOptions): Read | undefined {
  switch (operation) {
    case 'Create':
    case 'CreateIfNotExists':
    case 'CreateOrUpdate':
      return readCreate(operation, fields)
    case 'Delete':
    case 'DeleteInBackground':
    case 'DeleteNonCascading':
      // Deleting a missing object succeeds anyway.
      fields.boolean('ignoreMissingObject')
      return { operation, ...readTarget(fields) }
    case 'JQPatch': {
      const target = readPatchTarget(fields)
      const jqFilter = readFilter(fields, jq)
      return jqFilter && { operation, ...target, jqFilter }
    }
    case 'MergePatch': {
      const mergePatch = structure(fields, 'mergePatch')
      if (mergePatch !== undefined && !isJsonObject(mergePatch)) fields.error('mergePatch', 'must be an object')
      return { operation, ...readPatchTarget(fields), mergePatch: isJsonObject(mergePatch) ? mergePatch : {} }
    }
    case 'JSONPatch':
      return { operation, ...readPatchTarget(fields), jsonPatch: readJsonPatch(fields) }
  }
}

function readCreate(operation: CreateOperation['operation'], fields: Fields): Read | undefined {
  const object = structure(fields, 'object')
  const subresource = readSubresource(fields)
  const namespace = numberText(fields, 'namespace') ?? fields.nonEmpty('namespace')
  if (object === undefined) return undefined
  const problem = whatIsMissing(object)
  if (problem !== undefined) fields.error('object', problem)
  else if (namespace !== undefined && namespace !== (object as unknown as KubeObject).metadata.namespace)
    fields.findings.warn(fields.at('namespace'), 'is ignored: write it to object.metadata.namespace')
  return { operation, object: object as unknown as KubeObject, ...subresource }
}

function whatIsMissing(object: unknown): string | undefined {
  if (!isJsonObject(object)) return 'must be a Kubernetes object'
  for (const key of ['apiVersion', 'kind']) if (typeof object[key] !== 'string') return `has no ${key}`
  const { metadata } = object
  const isNamed = isJsonObject(metadata) && (typeof metadata['name'] === 'string' || 'generateName' in metadata)
  return isNamed ? undefined : 'has no metadata.name'
}

function readTarget(fields: Fields): ObjectTarget {
  const apiVersion = fields.text('apiVersion')
  const namespace = numberText(fields, 'namespace') ?? fields.text('namespace')
  return {
    kind: fields.required('kind'),
    name: numberText(fields, 'name') ?? fields.required('name'),
    ...(apiVersion ? { apiVersion } : {}),
    ...(namespace ? { namespace } : {}),
    ...readSubresource(fields),
  }
}

/** A name of digits may be given as a number. */
function numberText(fields: Fields, key: string): string | undefined {
  const value = fields.raw(key)
  return Number.isSafeInteger(value) ? String(value) : undefined
}

function readPatchTarget(fields: Fields): ObjectTarget & { readonly ignoreMissingObject: boolean } {
  return { ...readTarget(fields), ignoreMissingObject: fields.boolean('ignoreMissingObject') ?? false }
}

function readSubresource(fields: Fields): { readonly subresource?: string } {
  const subresource = fields.text('subresource')?.replace(/^\/+/, '')
  return subresource ? { subresource } : {}
}

function readFilter(fields: Fields, jq: CompileOptions) {
  const source = fields.required('jqFilter')
  if (source === '') return undefined
  try {
    return compile(source, jq)
  } catch (error) {
    fields.error('jqFilter', `is not a jq program: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}

function readJsonPatch(fields: Fields): readonly Operation[] {
  const patch = structure(fields, 'jsonPatch')
  try {
    return patch === undefined ? [] : readOperations(patch as JsonObject)
  } catch (error) {
    fields.error('jsonPatch', error instanceof Error ? error.message : String(error))
    return []
  }
}

/** A value, or a string with YAML or JSON. Its content is never quoted: it may contain a secret. */
function structure(fields: Fields, key: string): unknown {
  const value = fields.raw(key)
  if (value === undefined) fields.error(key, 'is required')
  if (typeof value !== 'string') return value
  try {
    return parseYaml(value, fields.at(key))
  } catch (error) {
    fields.error(key, `is neither JSON nor YAML: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}
