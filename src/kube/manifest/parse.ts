/**
 * Parses and prints YAML and JSON. Errors name file and line.
 */
import { constructFromEvents, dump, EVENT_ID, type Event, load, parseEvents, type Schema, YAMLException } from 'js-yaml'
import { CarabinerError, isJsonObject } from '../../runtime/index.ts'
import type { KubeObject } from '../object.ts'
import { expansionProblem } from './expansion.ts'
import { withIndentation } from './indentation.ts'
import { manifestSchema, textSchema } from './schema.ts'

export interface YamlOptions {
  /** Called with what Go's YAML library accepts and this function otherwise does not: see `tolerable`. @default such a text is an error */
  readonly tolerate?: (problem: string) => void
}

/** Reasons of the parser, and what counts then. */
const tolerable: ReadonlyMap<string, string> = new Map([
  ['duplicated mapping key', 'the last value counts'],
  ['expected a single document in the stream, but found more', 'the first one counts'],
])

/** One document of YAML or JSON of any content. */
export function parseYaml(text: string, fileName: string, { tolerate }: YamlOptions = {}): unknown {
  const read = (): unknown => {
    try {
      return readable(fileName, () => withIndentation(text, (source) => load(source, { schema: manifestSchema })))
    } catch (error) {
      const consequence = consequenceOf(error)
      if (tolerate === undefined || consequence === undefined) throw error
      const [first] = readable(fileName, () =>
        withIndentation(text, (source) => documentsOf(source, { json: true }).documents),
      )
      tolerate(`${(error as Error).message}; ${consequence}`)
      return first
    }
  }
  return expanded(text, fileName, read())
}

/** All documents of a file of any content; empty ones are undefined or null. */
export function parseYamlDocuments(text: string, fileName: string): unknown[] {
  return expanded(
    text,
    fileName,
    readable(fileName, () => withIndentation(text, (source) => documentsOf(source).documents)),
  )
}

/** The same with every scalar as its text: `0123` stays as it is written. */
export function parseYamlTexts(text: string, fileName: string): unknown[] {
  return expanded(
    text,
    fileName,
    readable(fileName, () => withIndentation(text, (source) => documentsOf(source, { schema: textSchema }).documents)),
  )
}

/** Every object of a file, in order; empty documents are skipped and lists expanded. */
export function parseManifests(text: string, fileName: string): KubeObject[] {
  const { source, events, documents } = readable(fileName, () =>
    withIndentation(text, (indented) => documentsOf(indented)),
  )
  expanded(text, fileName, documents)
  const starts = documentStarts(events)
  return documents.flatMap((document, index) =>
    objectsIn(document, `${fileName}:${lineAt(source, starts[index] ?? 0)}`),
  )
}

function documentsOf(source: string, options: { readonly json?: boolean; readonly schema?: Schema } = {}) {
  const events = parseEvents(source, {})
  return { source, events, documents: constructFromEvents(events, { source, schema: manifestSchema, ...options }) }
}

/** As kubectl prints: block style, long lines whole, sequences not indented. */
export function toYaml(value: unknown): string {
  return dump(value, { noRefs: true, lineWidth: -1, seqNoIndent: true })
}

function consequenceOf(error: unknown): string | undefined {
  const cause = error instanceof CarabinerError ? error.cause : undefined
  return cause instanceof YAMLException ? tolerable.get(cause.reason) : undefined
}

function readable<T>(fileName: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause
    const place = cause.mark === undefined ? fileName : `${fileName}:${cause.mark.line + 1}`
    throw new CarabinerError('CRB_YAML_MALFORMED', `${place}: ${cause.reason}`, { cause })
  }
}

/** Without an anchor there are no aliases. */
function expanded<T>(text: string, fileName: string, value: T): T {
  const problem = text.includes('&') ? expansionProblem(value) : undefined
  if (problem !== undefined) throw new CarabinerError('CRB_YAML_MALFORMED', `${fileName}: ${problem}`)
  return value
}

function objectsIn(document: unknown, place: string): KubeObject[] {
  if (document === null || document === undefined) return []
  if (!isJsonObject(document)) throw notAnObject(place, `contains ${JSON.stringify(document).slice(0, 60)}`)
  const { apiVersion, kind, metadata, items } = document
  if (typeof apiVersion !== 'string' || apiVersion === '') throw notAnObject(place, 'has no apiVersion')
  if (typeof kind !== 'string' || kind === '') throw notAnObject(place, 'has no kind')
  if (kind.endsWith('List') && Array.isArray(items)) return items.flatMap((item) => objectsIn(item, place))
  const named = isJsonObject(metadata) && [metadata['name'], metadata['generateName']].some(isName)
  if (!named) throw notAnObject(place, `of kind ${kind} has no metadata.name`)
  return [document as unknown as KubeObject]
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function notAnObject(place: string, what: string): CarabinerError {
  return new CarabinerError('CRB_MANIFEST_INVALID', `${place}: the document ${what}.`)
}

/** Offset of each document's first value; 0 for an empty document, which is never named in an error. */
function documentStarts(events: readonly Event[]): number[] {
  const starts: number[] = []
  events.forEach((event, index) => {
    if (event.type !== EVENT_ID.DOCUMENT) return
    const content = events[index + 1]
    if (content === undefined) return
    if ('valueStart' in content) starts.push(content.valueStart)
    else starts.push('start' in content ? content.start : 0)
  })
  return starts
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, Math.max(offset, 0)).split('\n').length
}
