/** The helm program and releases. */
export { HelmError, type HelmRun, isHelmMissing, valuesFile, withHelm } from './program.ts'
export { removePending } from './revisions.ts'
