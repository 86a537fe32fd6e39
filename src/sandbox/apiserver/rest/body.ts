/**
 * Request bodies: JSON, or YAML for those who send it. Everything else is refused with 415, so that clients fall back to JSON.
 */
import { load } from 'js-yaml'
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/json.ts'
import { badRequest, StatusError } from '../status/status-error.ts'

const decoder = new TextDecoder()

export function mediaTypeOf(header: string | undefined): string {
  return (header ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** The parsed body of a request that creates or updates. */
export function readObject(body: Uint8Array | undefined, contentType: string | undefined): JsonObject {
  const value = readJson(body, contentType)
  if (!isJsonObject(value)) {
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${typeName(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    )
  }
  return value
}

function typeName(value: Json): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
}

export function readJson(body: Uint8Array | undefined, contentType: string | undefined): Json {
  const type = mediaTypeOf(contentType)
  const text = decoder.decode(body ?? new Uint8Array())
  switch (type) {
    case '':
    case 'application/json':
    case '*/*':
      return parseJson(text)
    case 'application/yaml':
      return parseYaml(text)
    default:
      throw new StatusError(
        415,
        'UnsupportedMediaType',
        `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml`,
      )
  }
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`)
  }
}

function parseYaml(text: string): Json {
  try {
    return load(text) as Json
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: ${(error as Error).message}`)
  }
}
