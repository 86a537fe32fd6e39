/** Reconciles policies: observe, decide, act, and again when something has changed. */
export * from './engine.ts'
export * from './explain.ts'
