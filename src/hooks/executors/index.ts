/** The code that carries out one kind of action each, behind one interface. */
export {
  type ApprovalDecision,
  ApprovalExecutor,
  type ApprovalRecords,
  type ApprovalRequest,
  approvalAnnotation,
  approvalPrefix,
  observeApproval,
} from './approval.ts'
export type { Executor, ExecutorFamily, Started } from './executor.ts'
export { type FunctionCall, FunctionExecutor, type FunctionOutcome } from './function-executor.ts'
export { type HookObject, projectHookObject } from './hook-object.ts'
export { HttpExecutor } from './http-executor.ts'
export {
  type BeforeDelete,
  type CleanupScheduler,
  ObjectExecutor,
  type ObjectExecutorOptions,
} from './object-executor.ts'
export {
  describeOutcome,
  killGraceMs,
  type OutputStream,
  type ProcessHook,
  type ProcessOutcome,
  runProcess,
} from './process.ts'
export { ProcessExecutor } from './process-executor.ts'
export { type EndedObservation, runToEnd } from './run-to-end.ts'
