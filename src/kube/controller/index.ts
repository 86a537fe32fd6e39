/** What controllers are built from: the loop, its sources, results and errors, and the record of own writes. */
export { type ControllerOptions, runController } from './controller.ts'
export { OwnWrites } from './own-writes.ts'
export { type ReconcileResult, TerminalError } from './result.ts'
export { type Source, source } from './source.ts'
