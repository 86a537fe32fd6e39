/** Rollouts that go to their end, with an engine that dies or is deaf. The long tier takes every fault at every write. */
import { describeFaults, usualStrides } from './rollout-matrix.ts'
import { plainScenarios } from './rollout-scenarios.ts'

describeFaults(plainScenarios, usualStrides)
