/** The operator: settings, installation and start. */
export { applyAll, applyObject, install } from './install.ts'
export { holderOf, leaseSelector } from './lease-metadata.ts'
export { type RunningOperator, startOperator } from './operator.ts'
export { kebab, type OperatorSettings, type ResolvedSettings, resolveSettings, settings } from './settings.ts'
export type { AccessRule, Surface } from './surface.ts'
