/**
 * Decodes `spec.config` into a provider configuration: checks version and kind, and validates every field with a schema. An error fails the
 * item at once and names the field and the value.
 */
import { isJsonObject } from '../../../runtime/index.ts'
import { formatFieldError, type Schema, validate } from '../../../schema/index.ts'
import { configurationProblem } from '../../library/errors.ts'
import type { EmbeddedResource } from '../../resources/types.ts'

/** Keeps the message readable when many fields are invalid. */
const maxListedErrors = 5

/** `schemas` maps the versions of the configuration's group. */
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
    const more = errors.length > maxListedErrors ? [`and ${errors.length - maxListedErrors} more`] : []
    throw configurationProblem(
      'DecodeConfiguration',
      [...errors.slice(0, maxListedErrors).map(formatFieldError), ...more].join('; '),
    )
  }
  return { version, config }
}

/** An error that a schema cannot express. */
export function problem(field: string, what: string): Error {
  return configurationProblem('DecodeConfiguration', `${field} ${what}.`)
}
