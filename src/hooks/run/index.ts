/** What a run is called: the one key that names, labels, journal entries, traces and log lines are derived from. */
export { objectName, type Run, runKey } from './run.ts'
