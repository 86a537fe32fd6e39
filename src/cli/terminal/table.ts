/**
 * Formats a table like kubectl: upper-case heads, three spaces between columns. It fits the terminal: the widest columns are shortened first,
 * names in their middle, because their start and end say most, and prose at its end. Control characters in cells are shown, not obeyed.
 */
import type { Display } from './display.ts'
import { printableLine } from './printable.ts'
import { legible } from './symbols.ts'
import { displayWidth, type Shrinks, shortened } from './width.ts'

export interface Head {
  readonly head: string
  /** @default 'middle' */
  readonly shrinks?: Shrinks
}

/** A cell with a colour, or with the lines of a tree before it. */
export interface Painted {
  readonly text: string
  readonly paint?: (text: string) => string
  readonly branch?: string
}

export type Cell = string | Painted

type Shown = Required<Painted>

const gap = '   '
/** Columns are not made narrower than this. */
const leastColumns = { middle: 8, end: 16 } as const

export function table(heads: readonly (string | Head)[], rows: readonly (readonly Cell[])[], display: Display): string {
  const columns = heads.map((head) => (typeof head === 'string' ? { head } : head))
  const titles = columns.map(({ head }) => head.toUpperCase())
  const lines = [titles, ...rows].map((line) => columns.map((_, column) => shown(line[column] ?? '', display)))
  const wanted = columns.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column]))))
  const widths = fitted(
    columns,
    wanted,
    (display.limit ?? Number.POSITIVE_INFINITY) - gap.length * (columns.length - 1),
  )
  const ellipsis = legible('…', display)
  const cellText = (cell: Shown, column: number) => {
    const { [column]: width = 0 } = widths
    const { shrinks = 'middle' } = columns[column] ?? {}
    const text = shortened(cell.text, Math.max(0, width - displayWidth(cell.branch)), { shrinks, ellipsis })
    const padding = ' '.repeat(Math.max(0, width - displayWidth(cell.branch) - displayWidth(text)))
    return `${cell.branch}${text === '' ? '' : cell.paint(text)}${padding}`
  }
  return lines.map((line) => `${line.map(cellText).join(gap).trimEnd()}\n`).join('')
}

function shown(cell: Cell, display: Display): Shown {
  const { text, branch = '', paint = (same: string) => same } = typeof cell === 'string' ? { text: cell } : cell
  return { text: legible(printableLine(text), display), branch: legible(branch, display), paint }
}

function widthOf(cell: Shown | undefined): number {
  return cell === undefined ? 0 : displayWidth(cell.branch) + displayWidth(cell.text)
}

/** Takes from the widest column until the columns fit, or none can be narrower. */
function fitted(columns: readonly Head[], wanted: readonly number[], limit: number): readonly number[] {
  const widths = [...wanted]
  const least = columns.map(({ head, shrinks = 'middle' }) => Math.max(head.length, leastColumns[shrinks]))
  for (let excess = widths.reduce((sum, width) => sum + width, 0) - limit; excess > 0; excess--) {
    let widest = -1
    for (const [column, width] of widths.entries())
      if (width > (least[column] ?? 0) && width > (widths[widest] ?? 0)) widest = column
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}
