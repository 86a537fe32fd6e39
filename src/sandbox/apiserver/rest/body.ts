/** Request bodies: JSON, YAML, and the protobuf format that kubectl and helm use for built-in kinds. */
import { load } from 'js-yaml'
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { decodeProtobuf, protobufType } from '../protobuf/decode.ts'
import { badRequest, StatusError } from '../status/status-error.ts'

const decoder = new TextDecoder()

export function mediaTypeOf(header: string | undefined): string {
  return (header ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** The parsed body of a request that creates or updates an object of this kind. */
export function readObject(body: Uint8Array | undefined, contentType: string | undefined, kind: string): JsonObject {
  const unrecognized = (why: string): StatusError =>
    badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${why} (${summary(body)})`,
    )
  let value: Json
  try {
    value = readJson(body, contentType)
  } catch (error) {
    if (error instanceof SyntaxError) throw unrecognized(error.message)
    throw error
  }
  if (isJsonObject(value)) return value
  const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  throw unrecognized(
    `json: cannot unmarshal ${type} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
  )
}

/** The start of an unreadable body: as text when it looks like an object, else in hexadecimal. */
function summary(body: Uint8Array | undefined): string {
  if (body === undefined || body.length === 0) return '<empty>'
  const start = body.slice(0, 30)
  const more = body.length > 30 ? ' ...' : ''
  if (body[0] === 0x7b) return `${decoder.decode(start)}${more}`
  return `${[...start].map((byte) => byte.toString(16).padStart(2, '0')).join('')}${more}`
}

/** Throws a SyntaxError for an unreadable body. */
export function readJson(body: Uint8Array | undefined, contentType: string | undefined): Json {
  const text = decoder.decode(body ?? new Uint8Array())
  switch (mediaTypeOf(contentType)) {
    case '':
    case 'application/json':
    case '*/*':
      return parseJson(text)
    case 'application/yaml':
      return parseYaml(text)
    case protobufType:
      return parseBinary(body ?? new Uint8Array())
    default:
      throw new StatusError(
        415,
        'UnsupportedMediaType',
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      )
  }
}

/** With the error messages of the real API server's parser as far as they can be derived. */
function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length)
    const found = text[position]
    if (found === undefined) throw new SyntaxError('unexpected end of JSON input')
    const place = /property name/.test(message) ? 'object key string' : 'value'
    throw new SyntaxError(`invalid character '${found}' looking for beginning of ${place}`)
  }
}

function parseBinary(body: Uint8Array): Json {
  try {
    return decodeProtobuf(body)
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message : String(error))
  }
}

function parseYaml(text: string): Json {
  try {
    return load(text) as Json
  } catch (error) {
    throw new SyntaxError(`error converting YAML to JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}
