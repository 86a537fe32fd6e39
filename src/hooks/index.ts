/**
 * Hooks, whichever surface they belong to: what a run is called, what it does, what carries it out, what became of it, what follows a
 * failure, its record and its logs. Nothing here knows rollouts, scripts or deployers.
 */
export * from './action/index.ts'
export * from './executors/index.ts'
export * from './http/index.ts'
export * from './logs/index.ts'
export * from './outcome/index.ts'
export * from './policy/index.ts'
export * from './record/index.ts'
export * from './run/index.ts'
