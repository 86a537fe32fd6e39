/** The inputs of a program: values of files or of standard input, as JSON, YAML or lines, one by one or as one array. */
import { CORE_SCHEMA, loadAll } from 'js-yaml'
import { JsonParser } from '../../jq/index.ts'
import { CarabinerError, type Json } from '../../runtime/index.ts'
import type { Flag } from './arguments.ts'

export interface Source {
  /** Undefined for standard input. */
  readonly file: string | undefined
  readonly text: string
}

export interface Inputs {
  next(): Json | undefined
  /** The file the last value came from. */
  file(): string | undefined
}

export function openInputs(sources: readonly Source[], flags: ReadonlySet<Flag>): Inputs {
  let file: string | undefined
  const values = readAll(sources, flags, (name) => {
    file = name
  })
  const inputs = flags.has('slurp') ? slurped(values, flags) : values
  return {
    next: () => {
      const { done, value } = inputs.next()
      return done ? undefined : value
    },
    file: () => file,
  }
}

function* readAll(
  sources: readonly Source[],
  flags: ReadonlySet<Flag>,
  enter: (file: string | undefined) => void,
): Generator<Json> {
  for (const source of sources) {
    enter(source.file)
    if (flags.has('raw-input')) yield* flags.has('slurp') ? [source.text] : lines(source.text)
    else yield* flags.has('yaml') ? documents(source) : jsonValues(source.text)
  }
}

export function* jsonValues(text: string): Generator<Json> {
  const parser = new JsonParser(text)
  for (let value = parser.next(); value !== undefined; value = parser.next()) yield value
}

function documents(source: Source): Json[] {
  try {
    return loadAll(source.text, { schema: CORE_SCHEMA }) as Json[]
  } catch (error) {
    throw new CarabinerError('CRB_YAML_MALFORMED', `${source.file ?? 'standard input'} is not valid YAML`, {
      cause: error,
    })
  }
}

function lines(text: string): string[] {
  const parts = text.split('\n')
  if (parts.at(-1) === '') parts.pop()
  return parts
}

function* slurped(values: Generator<Json>, flags: ReadonlySet<Flag>): Generator<Json> {
  const all = [...values]
  yield flags.has('raw-input') ? all.join('') : all
}
