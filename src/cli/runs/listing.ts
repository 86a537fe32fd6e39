/** The table of runs: 80 columns wide unless the terminal has more, everything with `-o wide`. */
import { shortKey } from '../../hooks/index.ts'
import { type Format, type Listing, list } from '../terminal/listing.ts'
import { printableLine } from '../terminal/printable.ts'
import { age, span } from '../terminal/span.ts'
import type { ListedRun } from './collect.ts'

export interface Table {
  readonly columns: number
  readonly now: number
  /** Names are shown with their namespace. */
  readonly withNamespace: boolean
  /** Instead of a table without rows. */
  readonly none: string
}

export function listRuns(runs: readonly ListedRun[], format: Format, given: Table): string {
  return list(runs, format, runListing(given, format))
}

/** Columns whose width is known: age, surface, outcome, key and the gaps. */
const fixedWidth = 7 + 12 + 12 + 16

function runListing({ columns, now, withNamespace, none }: Table, format: Format): Listing<ListedRun> {
  const isWide = format === 'wide'
  const width = isWide ? Number.POSITIVE_INFINITY : Math.max(10, Math.floor((columns - fixedWidth) / 2))
  const subjectOf = ({ subject: { kind, namespace, name } }: ListedRun) =>
    kind === 'Hook'
      ? '-'
      : [isWide ? kind : '', withNamespace ? namespace : '', name].filter((part) => part !== '').join('/')
  const when = ({ outcome, startedAt, endedAt }: ListedRun) =>
    age(now - Date.parse((outcome === 'running' ? startedAt : endedAt) ?? ''))
  return {
    columns: [
      { head: 'age', of: when },
      { head: 'surface', of: ({ surface }) => printableLine(surface) },
      { head: 'subject', of: (run) => shortened(subjectOf(run), width) },
      { head: 'hook', of: ({ hook }) => shortened(hook, width) },
      { head: 'point', of: ({ point }) => printableLine(point), wide: true },
      { head: 'action', of: ({ action = '' }) => printableLine(action), wide: true },
      { head: 'took', of: took, wide: true },
      { head: 'outcome', of: ({ outcome }) => printableLine(outcome) },
      { head: 'run', of: ({ key }) => shortKey(key) },
      { head: 'kept in', of: ({ keptIn }) => keptIn, wide: true },
      { head: 'message', of: ({ message = '' }) => printableLine(message), wide: true },
    ],
    name: ({ key }) => printableLine(key),
    none,
  }
}

export function took({ startedAt, endedAt }: ListedRun): string {
  return startedAt === undefined || endedAt === undefined ? '' : span(Date.parse(endedAt) - Date.parse(startedAt))
}

/** The start and the end of a name say more than its middle. */
function shortened(text: string, width: number): string {
  const line = printableLine(text)
  if (line.length <= width) return line
  const end = Math.ceil((width - 1) / 2)
  return `${line.slice(0, width - 1 - end)}…${line.slice(-end)}`
}
