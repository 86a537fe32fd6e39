/** Rollouts on whose way something else is wanted, with an engine that dies or is deaf. The long tier takes every fault at every write. */
import { describeFaults, usualStrides } from './rollout-matrix.ts'
import { interruptionScenarios } from './rollout-scenarios.ts'

describeFaults(interruptionScenarios, usualStrides)
