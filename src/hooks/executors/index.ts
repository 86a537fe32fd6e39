/** The code that carries out one kind of action each: starts runs, observes them, cancels them. */
export {
  type ApprovalDecision,
  type ApprovalRequest,
  approvalAnnotation,
  approvalPrefix,
  observeApproval,
} from './approval.ts'
export { type FunctionCall, FunctionExecutor, type FunctionOutcome } from './function-executor.ts'
export { type HookObject, projectHookObject } from './hook-object.ts'
export { type HttpCall, HttpExecutor } from './http-executor.ts'
export { type BeforeDelete, type CleanupScheduler, ObjectExecutor } from './object-executor.ts'
export {
  describeOutcome,
  killGrace,
  type OutputStream,
  type ProcessHook,
  type ProcessOutcome,
  runProcess,
} from './process.ts'
