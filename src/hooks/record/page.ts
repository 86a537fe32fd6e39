/**
 * A page of the journal: the entries about one subject in one ConfigMap. Entries and bytes are bounded, because the API server refuses
 * objects above about 1 MiB; the oldest entries are removed first.
 */
import { type JournalEntry, readEntry, writeEntry } from './entry.ts'

export interface PageLimits {
  /** @default 100 */
  readonly entries: number
  /** Of the whole page. @default 512 KiB */
  readonly bytes: number
}

export const pageLimits: PageLimits = { entries: 100, bytes: 512 * 1024 }

type Data = Readonly<Record<string, string>>

/** The merge patch that adds the new entries and keeps the page within its limits; `null` removes an entry. */
export function pageChanges(
  before: Data,
  added: ReadonlyMap<string, JournalEntry>,
  limits: PageLimits = pageLimits,
): Readonly<Record<string, string | null>> {
  const texts = new Map(Object.entries(before))
  for (const [key, entry] of added) texts.set(key, writeEntry(withStoredLog(entry, texts.get(key))))
  const newestFirst = [...texts].toSorted(([, a], [, b]) => (endOf(a) < endOf(b) ? 1 : -1))
  const kept = new Set<string>()
  let bytes = 0
  for (const [key, text] of newestFirst) {
    bytes += key.length + sizeOf(text)
    if (kept.size >= limits.entries || bytes > limits.bytes) break
    kept.add(key)
  }
  const changes: Record<string, string | null> = {}
  for (const [key, text] of texts) {
    if (!kept.has(key)) {
      if (key in before) changes[key] = null
    } else if (before[key] !== text) changes[key] = text
  }
  return changes
}

/** Oldest first. */
export function pageEntries(data: Data): readonly JournalEntry[] {
  return Object.values(data)
    .map(readEntry)
    .filter((entry) => entry !== undefined)
    .toSorted((a, b) => (a.endedAt < b.endedAt ? -1 : 1))
}

/** The next leader may note a run again after its pod is deleted; the log that is stored already must survive that. */
function withStoredLog(entry: JournalEntry, text: string | undefined): JournalEntry {
  const stored = text === undefined || entry.log !== undefined ? undefined : readEntry(text)
  return stored?.log === undefined || (stored.key ?? entry.key) !== entry.key ? entry : { ...entry, log: stored.log }
}

function endOf(text: string): string {
  return readEntry(text)?.endedAt ?? ''
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length
}
