/** The table of runs: as wide as the terminal, everything with `-o wide`. */
import { shortKey } from '../../hooks/index.ts'
import type { Display } from '../terminal/display.ts'
import { type Format, type Listing, list } from '../terminal/listing.ts'
import { age, span } from '../terminal/span.ts'
import type { ListedRun } from './collect.ts'

export interface Table {
  readonly display: Display
  readonly now: number
  /** Names are shown with their namespace. */
  readonly withNamespace: boolean
  /** Instead of a table without rows. */
  readonly none: string
}

export function listRuns(runs: readonly ListedRun[], format: Format, given: Table): string {
  return list(runs, format, runListing(given, format), given.display)
}

function runListing({ now, withNamespace, none }: Table, format: Format): Listing<ListedRun> {
  const isWide = format === 'wide'
  const subjectOf = ({ subject: { kind, namespace, name } }: ListedRun) =>
    kind === 'Hook'
      ? '-'
      : [isWide ? kind : '', withNamespace ? namespace : '', name].filter((part) => part !== '').join('/')
  const when = ({ outcome, startedAt, endedAt }: ListedRun) =>
    age(now - Date.parse((outcome === 'running' ? startedAt : endedAt) ?? ''))
  return {
    columns: [
      { head: 'age', of: when },
      { head: 'surface', of: ({ surface }) => surface },
      { head: 'subject', of: (run) => subjectOf(run) },
      { head: 'hook', of: ({ hook }) => hook },
      { head: 'point', of: ({ point }) => point, wide: true },
      { head: 'action', of: ({ action = '' }) => action, wide: true },
      { head: 'took', of: took, wide: true },
      { head: 'outcome', of: ({ outcome }) => outcome },
      { head: 'run', of: ({ key }) => shortKey(key) },
      { head: 'kept in', of: ({ keptIn }) => keptIn, wide: true },
      { head: 'message', of: ({ message = '' }) => message, wide: true, shrinks: 'end' },
    ],
    name: ({ key }) => key,
    none,
  }
}

export function took({ startedAt, endedAt }: ListedRun): string {
  return startedAt === undefined || endedAt === undefined ? '' : span(Date.parse(endedAt) - Date.parse(startedAt))
}
