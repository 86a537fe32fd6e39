/**
 * One entry of the journal: how a run ended, and the end of its log. It is stored as text that people can read in the ConfigMap: a line of
 * JSON, then the log.
 */
import { isJsonObject } from '../../runtime/index.ts'
import type { Run } from '../run/index.ts'

export type RunOutcome = 'succeeded' | 'failed' | 'cancelled'

export interface JournalEntry extends Omit<Run, 'subject'> {
  /** `runKey` of the run. Entries written before 0.2 have none. */
  readonly key?: string
  readonly subject: Omit<Run['subject'], 'uid'>
  /** The readable name of the lifecycle: the revision of a rollout. */
  readonly revision?: { readonly name: string; readonly number?: number }
  /** What the hook does: `job`, `pod`, `http`, `approval`, `process`, `function`. */
  readonly action?: string
  /** Why it ran: the watch event, the schedule, the point of a reconcile. */
  readonly cause?: string
  readonly outcome: RunOutcome
  readonly startedAt?: string
  readonly endedAt: string
  readonly message?: string
  /** Of its span, where traces are exported. */
  readonly traceId?: string
  /** The end of it; values of Secrets are replaced. */
  readonly log?: string
}

/** Which entries a reader wants; a field that is absent excludes none. */
export interface JournalQuery {
  readonly hook?: string
  /** Name or number of the revision, or the id of the lifecycle. */
  readonly revision?: string
  readonly lifecycle?: string
}

/**
 * The entry's key in its page: the same for the same run. Of script hooks a page has every failed or cancelled run, and of each hook only the last run
 * that succeeded: one page serves all hooks of an operator, and a busy hook must not push the failures of the others out.
 */
export function entryKey({ surface, lifecycle, point, hook, attempt, outcome }: JournalEntry): string {
  return pageKey(
    surface === 'rollouts'
      ? [lifecycle, hook, attempt]
      : surface === 'addons' && outcome === 'succeeded'
        ? ['last', hook]
        : [lifecycle, point, hook, attempt],
  )
}

function pageKey(parts: readonly (string | number)[]): string {
  return parts
    .join('.')
    .replace(/[^-._a-zA-Z0-9]/g, '_')
    .slice(0, 253)
}

export function isWanted({ hook, lifecycle, revision }: JournalEntry, query: JournalQuery): boolean {
  const names = [revision?.name, revision?.number === undefined ? undefined : String(revision.number), lifecycle]
  return (
    (query.hook === undefined || query.hook === hook) &&
    (query.lifecycle === undefined || query.lifecycle === lifecycle) &&
    (query.revision === undefined || names.includes(query.revision))
  )
}

export function writeEntry({ log, ...facts }: JournalEntry): string {
  return `${JSON.stringify(facts)}\n${log ?? ''}`
}

/** Undefined for a text that is no entry: users can edit pages. */
export function readEntry(text: string): JournalEntry | undefined {
  const end = text.indexOf('\n')
  const [head, log] = end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)]
  try {
    const facts: unknown = JSON.parse(head)
    return isEntry(facts) ? { ...facts, ...(log === '' ? {} : { log }) } : undefined
  } catch {
    return undefined
  }
}

const outcomes: readonly unknown[] = ['succeeded', 'failed', 'cancelled'] satisfies readonly RunOutcome[]

function isEntry(facts: unknown): facts is JournalEntry {
  if (!isJsonObject(facts) || !isJsonObject(facts['subject']) || !outcomes.includes(facts['outcome'])) return false
  return [facts['hook'], facts['endedAt'], facts['surface'], facts['lifecycle'], facts['subject']['name']].every(
    (field) => typeof field === 'string',
  )
}
