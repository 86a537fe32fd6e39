/** `carabiner/script-hooks`: script hooks as functions, and the types of their bindings and contexts. */
export type { HookMetricsCollector, ObjectChanges, ObjectRef, OperationOptions, PatchOptions } from './collectors.ts'
export type * from './config.ts'
export type * from './contexts.ts'
export { type DefinedHook, defineHook, type HookAnswer, type HookDefinition, type HookRun } from './define.ts'
