/**
 * Public face of deployers: everything a deployer of one's own is written with, the resources it works on, and the plug for the operator.
 */
export { aggregateHookResults, aggregateHookResultsWithInvertedAbortPriority } from './hooks/aggregate.ts'
export { executeHooks, HookError } from './hooks/execute.ts'
export * from './hooks/registry.ts'
export { createCaches, type LandscaperCaches } from './library/caches.ts'
export { createDeployerController, type DeployerController } from './library/controller.ts'
export * from './library/deployer.ts'
export { configurationProblem, LandscaperError, type LandscaperErrorDetails } from './library/errors.ts'
export { judgeResponsibility, type Responsibility } from './library/responsibility.ts'
export * from './library/selectors.ts'
export type { DeployerOptions, DeployerWorld } from './library/world.ts'
export { definitions } from './resources/definitions.ts'
export { readDuration, writeDuration } from './resources/duration.ts'
export * from './resources/types.ts'
export * from './resources/words.ts'
export { type DeployersSurfaceOptions, deployersSurface, type RunningDeployer } from './surface.ts'
export { defaultTimeouts, type Timeouts } from './timeouts/decide.ts'
