/** What is known about a run, and how it ended. */
export { describeFailure, reasonWord } from './describe.ts'
export type { ObjectReference, Observation } from './observation.ts'
export { type FailureReason, failureReasons } from './reason.ts'
