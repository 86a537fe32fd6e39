/** Rollouts that are taken back, with an engine that dies or is deaf. The long tier takes every fault at every write. */
import { describeFaults, usualStrides } from './rollout-matrix.ts'
import { undoScenarios } from './rollout-scenarios.ts'

describeFaults(undoScenarios, usualStrides)
