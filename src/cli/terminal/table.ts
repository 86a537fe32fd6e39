/**
 * Formats a table like kubectl: upper-case heads, three spaces between columns. It fits the terminal: the widest columns are shortened first,
 * names in their middle, because their start and end say most, and prose at its end, or prose stands below its row where every word counts.
 * Control characters in cells are shown, not obeyed.
 */
import { largest } from '../../runtime/index.ts'
import type { Display } from './display.ts'
import { printableLine } from './printable.ts'
import { legible } from './symbols.ts'
import { displayWidth, shortened, wrapped } from './width.ts'

/** What happens to a column where there is no room; `below` is for the last one. */
export type Shrinking = 'middle' | 'end' | 'below'

export interface Head {
  readonly head: string
  /** @default 'middle' */
  readonly shrinks?: Shrinking
}

/** A cell with a colour, or with the lines of a tree before it. */
export interface Painted {
  readonly text: string
  readonly paint?: (text: string) => string
  readonly branch?: string
}

export type Cell = string | Painted

type Shown = Required<Painted>

const wideGap = '   '
const narrowGap = '  '
/** Columns are not made narrower than this. */
const leastColumns = { middle: 8, end: 16, below: 16 } as const
/** Prose gives way before names do, but not all of it. */
const firstProseColumns = 20

export function table(heads: readonly (string | Head)[], rows: readonly (readonly Cell[])[], display: Display): string {
  const columns = heads.map((head) => (typeof head === 'string' ? { head } : head))
  const titles = columns.map(({ head }) => head.toUpperCase())
  const lines = [titles, ...rows].map((line) => columns.map((_, column) => shown(line[column] ?? '', display)))
  const wanted = columns.map((_, column) => largest(lines.map((line) => widthOf(line[column]))))
  const { limit = Number.POSITIVE_INFINITY } = display
  const fits = (space: string) => sum(wanted) + space.length * (columns.length - 1) <= limit
  const gap = fits(wideGap) ? wideGap : narrowGap
  const isProseBelow = columns.at(-1)?.shrinks === 'below' && !fits(narrowGap)
  const beside = isProseBelow ? columns.slice(0, -1) : columns
  const widths = fitted(beside, wanted, limit - gap.length * (beside.length - 1))
  const rowOf = (line: readonly Shown[]) =>
    beside.map((head, column) => cellText(line[column], head, widths[column] ?? 0, display))
  return lines
    .map((line, index) => {
      const prose = isProseBelow && index > 0 ? (line.at(-1)?.text ?? '') : ''
      return `${rowOf(line).join(gap).trimEnd()}\n${prose === '' ? '' : indented(prose, limit)}`
    })
    .join('')
}

function indented(prose: string, limit: number): string {
  return wrapped(prose, limit - wideGap.length)
    .map((part) => `${wideGap}${part}\n`)
    .join('')
}

function cellText(cell: Shown | undefined, { shrinks = 'middle' }: Head, width: number, display: Display): string {
  if (cell === undefined) return ''
  const room = Math.max(0, width - displayWidth(cell.branch))
  const text = shortened(cell.text, room, {
    shrinks: shrinks === 'middle' ? 'middle' : 'end',
    ellipsis: legible('…', display),
  })
  return `${cell.branch}${text === '' ? '' : cell.paint(text)}${' '.repeat(Math.max(0, room - displayWidth(text)))}`
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
  const widths = wanted.slice(0, columns.length)
  const least = columns.map(({ head, shrinks = 'middle' }) => Math.max(head.length, leastColumns[shrinks]))
  const first = columns.map(({ shrinks = 'middle' }) =>
    shrinks === 'middle' ? Number.POSITIVE_INFINITY : firstProseColumns,
  )
  for (let excess = sum(widths) - limit; excess > 0; excess--) {
    const prose = widestOf(widths, first)
    const widest = prose < 0 ? widestOf(widths, least) : prose
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

/** Of those that may be narrower; -1 without one. */
function widestOf(widths: readonly number[], least: readonly number[]): number {
  let widest = -1
  for (const [column, width] of widths.entries())
    if (width > (least[column] ?? 0) && width > (widths[widest] ?? 0)) widest = column
  return widest
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0)
}
