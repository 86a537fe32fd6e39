/**
 * A page of the journal: the entries about one owner, in one ConfigMap that goes with it. Bounded in entries and bytes, because an object
 * of a cluster may have a megabyte and nobody reads last year's logs here; the oldest entries go first.
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

/** What a merge patch must change so that the page has the new entries and keeps its bounds; `null` takes one away. */
export function pageChanges(
  before: Data,
  added: ReadonlyMap<string, JournalEntry>,
  limits: PageLimits = pageLimits,
): Readonly<Record<string, string | null>> {
  const texts = new Map(Object.entries(before))
  for (const [key, entry] of added) texts.set(key, writeEntry(withOldLog(entry, texts.get(key))))
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

/** Whoever comes later may find the pod gone, and must not wipe out what was read in time. */
function withOldLog(entry: JournalEntry, text: string | undefined): JournalEntry {
  const old = text === undefined || entry.log !== undefined ? undefined : readEntry(text)?.log
  return old === undefined ? entry : { ...entry, log: old }
}

function endOf(text: string): string {
  return readEntry(text)?.endedAt ?? ''
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length
}
