/** What is kept of runs: the journal in the cluster and the metrics, keyed by `runKey`. */
export { isWanted, type JournalEntry, type JournalQuery, type RunOutcome } from './entry.ts'
export { Journal, type Page, readJournal } from './journal.ts'
export { type EndedRun, hookMetrics, secondsBuckets } from './metrics.ts'
