/** The output formats of listings for `-o`: a table, a wide table, names, JSON or YAML. */
import { Option } from 'commander'
import { toYaml } from '../../kube/manifest/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { Display } from './display.ts'
import { printable, printableLine } from './printable.ts'
import { type Cell, type Shrinking, table } from './table.ts'

const formats = ['json', 'yaml', 'wide', 'name'] as const

export type Format = 'text' | (typeof formats)[number]

export interface Column<T> {
  readonly head: string
  of(item: T): Cell
  /** Only with `-o wide`. */
  readonly wide?: boolean
  /** How the cells are shortened when the terminal is too narrow. @default 'middle' */
  readonly shrinks?: Shrinking
}

export interface Listing<T> {
  readonly columns: readonly Column<T>[]
  /** What `-o name` prints. */
  name(item: T): string
  /** Printed instead of an empty table. */
  readonly none: string
}

export function outputOption(): Option {
  return new Option('-o, --output <format>', 'json, yaml, wide or name')
}

export function readFormat(text: string | undefined): Format {
  if (text === undefined) return 'text'
  const found = formats.find((format) => format === text)
  if (found !== undefined) return found
  throw new CarabinerError('CRB_USAGE', `-o ${text}: expected json, yaml, wide or name`)
}

/** For a single object: `wide` and `name` are not supported. */
export function readTextFormat(text: string | undefined): 'text' | 'json' | 'yaml' {
  if (text === undefined) return 'text'
  if (text === 'json' || text === 'yaml') return text
  throw new CarabinerError('CRB_USAGE', `-o ${text}: expected json or yaml`)
}

export function list<T>(
  items: readonly T[],
  format: Format,
  { columns, name, none }: Listing<T>,
  display: Display,
): string {
  switch (format) {
    case 'json':
    case 'yaml':
      return serialize(items, format)
    case 'name':
      return items.map((item) => `${printableLine(name(item))}\n`).join('')
    case 'text':
    case 'wide': {
      if (items.length === 0) return `${printable(none)}\n`
      const shown = columns.filter(({ wide = false }) => !wide || format === 'wide')
      const rows = items.map((item) => shown.map(({ of }) => of(item)))
      // `-o wide` is asked for when everything is wanted.
      return table(shown, rows, format === 'wide' ? { ...display, limit: Number.POSITIVE_INFINITY } : display)
    }
  }
}

/** A value as JSON or YAML text; both have escapes for characters that a terminal would obey. */
export function serialize(value: unknown, format: 'json' | 'yaml'): string {
  return format === 'json' ? `${printable(JSON.stringify(value, null, 2))}\n` : toYaml(value as object)
}
