/**
 * The Kubernetes types once: the fields of the built-in kinds as the API has them, and the resource types that carry them. Field names and
 * optionality follow the API; values from open sets (condition types, reasons, policies) are plain strings.
 */
export type * from './admission.ts'
export type * from './condition.ts'
export type * from './container.ts'
export type * from './core.ts'
export type * from './definition.ts'
export type * from './disruption.ts'
export type * from './event.ts'
export type * from './job.ts'
export type * from './lease.ts'
export type * from './node.ts'
export type * from './pod.ts'
export type * from './rbac.ts'
export { resources } from './resources.ts'
export type * from './scheduling.ts'
export type * from './service.ts'
export type * from './storage.ts'
export type * from './workload.ts'
