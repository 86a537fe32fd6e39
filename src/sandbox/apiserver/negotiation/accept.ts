/**
 * Content negotiation: JSON or YAML, and the object itself, a Table or its metadata. Protobuf responses are not
 * supported; clients that prefer protobuf also accept JSON.
 */
import { StatusError } from '../status/status-error.ts'

export interface MediaType {
  readonly format: 'json' | 'yaml'
  readonly as: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | undefined
}

const plainJson: MediaType = { format: 'json', as: undefined }

export function acceptedType(header: string | undefined): MediaType {
  if (header === undefined || header === '') return plainJson
  for (const clause of clausesOf(header)) {
    const type = supportedType(clause)
    if (type !== undefined) return type
  }
  throw new StatusError(
    406,
    'NotAcceptable',
    '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml',
    {},
  )
}

export interface Clause {
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
}

/** The clauses of an Accept header, most preferred first. */
export function clausesOf(header: string): readonly Clause[] {
  const clauses = header.split(',').map((text) => {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim())
    const parameters: Record<string, string> = {}
    for (const part of rest) {
      const split = part.indexOf('=')
      if (split > 0) parameters[part.slice(0, split)] = part.slice(split + 1)
    }
    return { type: type.toLowerCase(), parameters }
  })
  const weight = ({ parameters }: Clause): number => Number(parameters['q'] ?? 1)
  return clauses.toSorted((left, right) => weight(right) - weight(left))
}

function supportedType({ type, parameters }: Clause): MediaType | undefined {
  const format = formats[type]
  if (format === undefined) return undefined
  const { as } = parameters
  if (as === undefined) return { format, as: undefined }
  if (parameters['g'] !== 'meta.k8s.io' || (parameters['v'] !== 'v1' && parameters['v'] !== 'v1beta1')) return undefined
  return as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList'
    ? { format, as }
    : undefined
}

const formats: Readonly<Record<string, 'json' | 'yaml'>> = {
  '*/*': 'json',
  'application/*': 'json',
  'application/json': 'json',
  'application/yaml': 'yaml',
}
