/** What follows a failed attempt; the same for every surface. */
export { type FailurePolicy, type NextStep, next } from './next.ts'
