/** What is recorded of runs, keyed by `runKey`: journal, metrics, events, spans, log lines and the operator's memory. */
export { isWanted, type JournalEntry, type JournalQuery, type RunOutcome } from './entry.ts'
export { keyOfAttempt, shortKey, traceIdOf } from './ids.ts'
export { Journal } from './journal.ts'
export { RunMemory, type RunRecord } from './memory.ts'
export { secondsBuckets } from './metrics.ts'
export { type EndedRun, Recorder, type StartedRun } from './recorder.ts'
export { type Page, readJournal, readPages } from './stored-page.ts'
