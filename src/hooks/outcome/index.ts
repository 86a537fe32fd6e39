/** What is known about a run, and how it ended. */
export type { ObjectReference, Observation } from './observation.ts'
