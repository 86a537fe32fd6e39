/**
 * One line of the journal: how a run of a hook ended, and the last it said. It is kept as text that people can read where it is stored: a
 * line of facts as JSON, then the log.
 */
import { isJsonObject } from '../../runtime/json.ts'
import type { Run } from '../run/index.ts'

export type RunOutcome = 'succeeded' | 'failed' | 'cancelled'

export interface JournalEntry extends Omit<Run, 'subject'> {
  readonly subject: Omit<Run['subject'], 'uid'>
  /** What people call the lifecycle: the revision object of a rollout, the number of a generation. */
  readonly revision?: { readonly name: string; readonly number?: number }
  readonly outcome: RunOutcome
  readonly startedAt?: string
  readonly endedAt: string
  readonly message?: string
  /** Its end; secrets the hook was given are replaced. */
  readonly log?: string
}

/** What a reader looks for; whatever is not given, all of it. */
export interface JournalQuery {
  readonly hook?: string
  /** Name or number of the revision, or the lifecycle's own id. */
  readonly revision?: string
  readonly lifecycle?: string
}

/** Where the entry stands in its page: the same for the same run. */
export function entryKey({ lifecycle, hook, attempt }: Pick<JournalEntry, 'lifecycle' | 'hook' | 'attempt'>): string {
  return `${lifecycle}.${hook}.${attempt}`.replace(/[^-._a-zA-Z0-9]/g, '_').slice(0, 253)
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

/** Undefined for a text that is no entry: pages can be edited by anybody. */
export function readEntry(text: string): JournalEntry | undefined {
  const end = text.indexOf('\n')
  const [head, log] = end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)]
  try {
    const facts: unknown = JSON.parse(head)
    if (!isJsonObject(facts) || typeof facts['hook'] !== 'string' || typeof facts['endedAt'] !== 'string')
      return undefined
    return { ...(facts as unknown as JournalEntry), ...(log === '' ? {} : { log }) }
  } catch {
    return undefined
  }
}
