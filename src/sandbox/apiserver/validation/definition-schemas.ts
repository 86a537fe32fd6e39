/** Validates the schema of a definition: it must be structural, its defaults must be valid, its CEL rules must compile. */
import { append } from '../../../runtime/index.ts'
import { checkStructural, compileRule, describeFieldError, type Schema, validate } from '../../../schema/index.ts'
import { type FieldError, forbiddenValue, invalid, required } from '../field-error.ts'

export function schemaErrors(schema: Schema, place: string): readonly FieldError[] {
  const structural = checkStructural(schema, place).map((error) => ({
    reason: error.type,
    field: error.field,
    message: describeFieldError(error),
  }))
  // Defaults and rules can only be checked in a structural schema.
  return structural.length > 0 ? structural : nodeErrors(schema, place)
}

function nodeErrors(schema: Schema, place: string): readonly FieldError[] {
  const errors: FieldError[] = [...listErrors(schema, place), ...ruleErrors(schema, place)]
  if (schema.default !== undefined) {
    for (const error of validate(schema.default, schema)) {
      const field =
        error.field === '<nil>' || error.field === '' ? `${place}.default` : `${place}.default.${error.field}`
      errors.push({ reason: 'FieldValueInvalid', field, message: describeFieldError(error) })
    }
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    append(errors, nodeErrors(property, `${place}.properties[${name}]`))
  }
  if (schema.items !== undefined) append(errors, nodeErrors(schema.items, `${place}.items`))
  if (typeof schema.additionalProperties === 'object') {
    if (schema.properties !== undefined) {
      errors.push(
        forbiddenValue(`${place}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
      )
    }
    append(errors, nodeErrors(schema.additionalProperties, `${place}.additionalProperties`))
  }
  return errors
}

function listErrors(schema: Schema, place: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const listType = schema['x-kubernetes-list-type']
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (schema.uniqueItems === true) {
    errors.push(
      forbiddenValue(
        `${place}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    )
  }
  if (listType === 'map' && keys.length === 0) {
    errors.push(required(`${place}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'))
  }
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty'
    const field = `${place}.x-kubernetes-list-type`
    errors.push(listType === undefined ? required(field, detail) : invalid(field, listType, detail))
  }
  for (const key of listType === 'map' ? keys : []) {
    const property = schema.items?.properties?.[key]
    if (property === undefined) {
      const detail = 'entries must all be names of item properties'
      errors.push(invalid(`${place}.x-kubernetes-list-map-keys`, [...keys], detail))
    } else if (property.default === undefined && schema.items?.required?.includes(key) !== true) {
      errors.push(
        required(
          `${place}.items.properties[${key}].default`,
          'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        ),
      )
    }
  }
  return errors
}

function ruleErrors(schema: Schema, place: string): readonly FieldError[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) => {
    const field = `${place}.x-kubernetes-validations[${index}].rule`
    if (rule.rule.trim() === '') return [required(field, 'rule is not specified')]
    try {
      compileRule(rule, schema)
      return []
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error)
      return [invalid(field, { ...rule }, detail)]
    }
  })
}
