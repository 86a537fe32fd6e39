/**
 * From `spec.config` to a provider configuration that is known to be right: version, kind and every field checked by a schema. Whatever is
 * wrong fails the item at once, with the field and the value in the message.
 */
import { isJsonObject } from '../../../runtime/json.ts'
import { formatFieldError } from '../../../schema/field-error.ts'
import type { Schema } from '../../../schema/schema.ts'
import { validate } from '../../../schema/validate.ts'
import { configurationProblem } from '../../library/errors.ts'
import type { EmbeddedResource } from '../../resources/types.ts'

/** A message is read by people; a configuration can be wrong in a hundred places. */
const shown = 5

/** `schemas` by the version of the configuration's group. */
export function decodeConfiguration(
  config: EmbeddedResource | undefined,
  group: string,
  schemas: Readonly<Record<string, Schema>>,
): { readonly version: string; readonly config: EmbeddedResource } {
  if (!isJsonObject(config)) throw problem('spec.config', 'is missing')
  const { apiVersion, kind } = config
  const versions = Object.keys(schemas)
  const version = versions.find((one) => apiVersion === `${group}/${one}`)
  const schema = version === undefined ? undefined : schemas[version]
  if (version === undefined || schema === undefined) {
    const known = versions.map((one) => `${group}/${one}`).join(' or ')
    throw problem('spec.config.apiVersion', `is "${String(apiVersion)}", not ${known}`)
  }
  if (kind !== 'ProviderConfiguration')
    throw problem('spec.config.kind', `is "${String(kind)}", not ProviderConfiguration`)
  const errors = validate(config, schema, { path: 'spec.config' })
  if (errors.length > 0) {
    const more = errors.length > shown ? [`and ${errors.length - shown} more`] : []
    throw configurationProblem(
      'DecodeConfiguration',
      [...errors.slice(0, shown).map(formatFieldError), ...more].join('; '),
    )
  }
  return { version, config }
}

/** For what a schema cannot say. */
export function problem(field: string, what: string): Error {
  return configurationProblem('DecodeConfiguration', `${field} ${what}.`)
}
