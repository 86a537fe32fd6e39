/** The entrance of the room for other rooms: what the package publishes as `carabiner/deployers`, and what only other rooms use. */

export { branchOf } from './library/branch.ts'
export { deadlineOf } from './library/deadline.ts'
export { isAtWork, isFinal, isMarked, operationOf } from './library/phases.ts'
export { prepare } from './library/preparation.ts'
export * from './public.ts'
export { duration, listOf, object, text } from './resources/schemas.ts'
export { stockNames } from './stock/names.ts'
export type { RunningDeployers } from './surface.ts'
export { decideTimeouts, pickupReason } from './timeouts/decide.ts'
