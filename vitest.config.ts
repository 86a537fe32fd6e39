// Tiers: tests of `unit` stand beside the code and share a few processes; the others drive the built product, with a process per file. `cluster`
// is the acceptance suite on a real control plane, `webhook` the tests of rollouts on one without admission policies.
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const cores = availableParallelism()
/** The default leaves one core unused, which is half of a machine with two. */
const maxWorkers = Math.max(Math.min(2, cores), cores - 1)
const shared = { environment: 'node' as const, testTimeout: 30_000, hookTimeout: 120_000 }
/** A wait fails after a minute with what it saw; a test with several waits must not time out before it on a slow machine. */
const real = {
  ...shared,
  testTimeout: 180_000,
  hookTimeout: 240_000,
  pool: 'forks' as const,
  maxWorkers: 1,
  env: { CARABINER_TEST_CLUSTER: 'real' },
  globalSetup: ['test/control-plane/setup.ts'],
}

export default defineConfig({
  test: {
    projects: [
      // Processes and not threads: some tests measure the memory and the open files of their process.
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['src/**/*.test.ts', 'tools/**/*.test.mjs'],
          setupFiles: ['test/replay/properties.ts'],
          pool: 'forks',
          isolate: false,
          maxWorkers,
        },
      },
      {
        test: {
          ...shared,
          name: 'sandbox',
          include: ['test/{sandbox,faults,cluster}/**/*.test.ts'],
          pool: 'forks',
          maxWorkers,
        },
      },
      { test: { ...real, name: 'cluster', include: ['test/cluster/**/*.test.ts'] } },
      { test: { ...real, name: 'webhook', include: ['test/cluster/{gate*,rollout*,install,operator-down}.test.ts'] } },
      {
        test: {
          ...shared,
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          setupFiles: ['test/replay/properties.ts'],
          pool: 'forks',
          testTimeout: 1_800_000,
          // vitest requires groups for projects with different numbers of workers.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
