/** What a listing prints for `-o`: a table, a wider one, names, or the things themselves as JSON or YAML. The same words for every command. */
import { Option } from 'commander'
import { toYaml } from '../../kube/manifest/index.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import { table } from './table.ts'

const formats = ['json', 'yaml', 'wide', 'name'] as const

export type Format = 'text' | (typeof formats)[number]

export interface Column<T> {
  readonly head: string
  of(item: T): string
  /** Only with `-o wide`. */
  readonly wide?: boolean
}

export interface Listing<T> {
  readonly columns: readonly Column<T>[]
  /** What `-o name` prints. */
  name(item: T): string
  /** Instead of a table without rows. */
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

/** For what is no list: there is nothing to be wider, and no name. */
export function readTextFormat(text: string | undefined): 'text' | 'json' | 'yaml' {
  if (text === undefined) return 'text'
  if (text === 'json' || text === 'yaml') return text
  throw new CarabinerError('CRB_USAGE', `-o ${text}: expected json or yaml`)
}

export function list<T>(items: readonly T[], format: Format, { columns, name, none }: Listing<T>): string {
  switch (format) {
    case 'json':
    case 'yaml':
      return written(items, format)
    case 'name':
      return items.map((item) => `${name(item)}\n`).join('')
    case 'text':
    case 'wide': {
      if (items.length === 0) return `${none}\n`
      const shown = columns.filter(({ wide = false }) => !wide || format === 'wide')
      return table(
        shown.map(({ head }) => head),
        items.map((item) => shown.map(({ of }) => of(item))),
      )
    }
  }
}

/** A value as JSON or YAML text. */
export function written(value: unknown, format: 'json' | 'yaml'): string {
  return format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : toYaml(value as object)
}
