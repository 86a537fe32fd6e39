/** Rollouts that are stopped, with an engine that dies or is deaf. The long tier takes every fault at every write. */
import { describeFaults, usualStrides } from './rollout-matrix.ts'
import { abortScenarios } from './rollout-scenarios.ts'

describeFaults(abortScenarios, usualStrides)
