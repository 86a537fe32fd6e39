/**
 * The strategy of one version of a custom resource: pruning, defaulting and validation by its schema, and the common
 * rules for status and generation.
 */
import { equal } from '../../../patch/index.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { applyDefaults, describeFieldError, prune, type Schema, validate } from '../../../schema/index.ts'
import type { FieldError } from '../field-error.ts'
import { type ApiObject, type ObjectMeta, withField, withMetadata } from '../object.ts'
import type { Conversion, Decoded, Strategy } from '../resource.ts'
import { maskTrailingDash, validateDnsSubdomain } from '../selectors/names.ts'
import { DecodeError, forbidden } from '../status/status-error.ts'
import { readPath } from '../table/json-path.ts'
import { columnsTable } from '../table/printer-columns.ts'
import { Decoder } from '../types/decode.ts'
import { typeModel } from '../types/model.ts'
import type { DefinedVersion, Definition } from './definition.ts'
import { completeSchema } from './schema.ts'
import { withoutBareNulls } from './without-bare-nulls.ts'

export function customStrategy(
  definition: Definition,
  version: DefinedVersion,
  conversion: Conversion | undefined,
): Strategy {
  const { schema } = version
  const { kind } = definition.names
  const decoder = new Decoder(typeModel())
  return {
    schema: completeSchema(schema),
    decode: (body) => decode(decoder, body, { schema, kind, version: version.name }),
    default: (object) => defaulted(object, schema),
    prepareForCreate(object) {
      if (definition.isTerminating) {
        const of = { group: definition.group, resource: definition.names.plural }
        throw forbidden(of, object.metadata.name, 'create not allowed while custom resource definition is terminating')
      }
      const bare = version.hasStatus ? withField(object, 'status', undefined) : object
      return withMetadata(bare, { generation: 1 })
    },
    prepareForUpdate: (object, old, subresource) => prepared(object, old, subresource, version.hasStatus),
    validate: (object, old) => validated(object, old, schema),
    ...(version.deprecationWarning === undefined ? {} : { warnings: () => [version.deprecationWarning ?? ''] }),
    validateName: (name, prefix) => validateDnsSubdomain(prefix ? maskTrailingDash(name) : name),
    selectableFields: Object.fromEntries(
      version.selectable.map((path) => [path.replace(/^\./, ''), (object: ApiObject) => selectText(object, path)]),
    ),
    table: columnsTable(version.columns),
    plainFinalizers: true,
    unconditionalUpdate: false,
    ...(conversion === undefined ? {} : { conversion }),
  }
}

function decode(
  decoder: Decoder,
  body: JsonObject,
  { schema, kind, version }: { schema: Schema; kind: string; version: string },
): Decoded {
  const metadata = isJsonObject(body['metadata']) ? body['metadata'] : {}
  const read = decoder.decodeMetadata(metadata, (fault) => new DecodeError({ kind, version }, fault))
  const { value, unknown } = prune({ ...body, metadata: read.metadata }, schema, { root: true })
  return {
    object: value as ApiObject,
    faults: [...read.faults, ...unknown.map((path) => `unknown field "${path}"`)],
  }
}

function defaulted(object: ApiObject, schema: Schema): ApiObject {
  const { metadata, ...rest } = object
  const filled = withoutBareNulls(applyDefaults(rest, schema), schema) as JsonObject
  return { ...filled, metadata } as ApiObject
}

/** A write through the status subresource changes only the status; any other write keeps the status. */
function prepared(object: ApiObject, old: ApiObject, subresource: string, hasStatus: boolean): ApiObject {
  if (subresource === 'status') {
    const { managedFields, resourceVersion } = object.metadata
    return withMetadata(withField(old, 'status', object['status']), { managedFields, resourceVersion })
  }
  const kept = hasStatus ? withField(object, 'status', old['status']) : object
  const isNew = !equal(generationFields(kept, hasStatus), generationFields(old, hasStatus))
  return withMetadata(kept, { generation: (old.metadata.generation ?? 1) + (isNew ? 1 : 0) })
}

/** The fields whose changes increase the generation. */
function generationFields({ metadata: _metadata, status, ...rest }: ApiObject, hasStatus: boolean): JsonObject {
  return hasStatus || status === undefined ? (rest as JsonObject) : { ...rest, status }
}

function validated(object: ApiObject, old: ApiObject | undefined, schema: Schema): readonly FieldError[] {
  const found = validate(nameOnly(object), schema, old === undefined ? {} : { old: nameOnly(old) })
  // CEL rule violations come after schema violations, which are sorted by field.
  const isRule = (error: { readonly rule: string }): boolean => error.rule === 'x-kubernetes-validations'
  const sorted = [
    ...found.filter((error) => !isRule(error)).sort((a, b) => (a.field < b.field ? -1 : a.field > b.field ? 1 : 0)),
    ...found.filter(isRule),
  ]
  return sorted.map((error) => ({ reason: error.type, field: error.field, message: describeFieldError(error) }))
}

/** Schemas and CEL rules can read only name and generateName of the metadata. */
function nameOnly(object: ApiObject): JsonObject {
  const { name, generateName }: ObjectMeta = object.metadata
  return { ...object, metadata: { name, ...(generateName === undefined ? {} : { generateName }) } }
}

function selectText(object: ApiObject, path: string): string {
  const [value]: readonly Json[] = readPath(object, path)
  return value === undefined || value === null ? '' : String(value)
}
