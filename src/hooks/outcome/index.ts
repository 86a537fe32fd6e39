/** What is known about a run, and how it ended. */
export type { ObjectReference, Observation } from './observation.ts'
export { type FailureReason, failureReasons } from './reason.ts'
