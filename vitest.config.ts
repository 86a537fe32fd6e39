// Tiers: tests of `unit` stand beside the code and share a few processes; the others drive the built product, with a process per file. `cluster`
// is the acceptance suite on a real control plane, `webhook` the tests of rollouts on one without admission policies.
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const cores = availableParallelism()
/** The default leaves one core unused, which is half of a machine with two. */
const maxWorkers = Math.max(Math.min(2, cores), cores - 1)
/** Most suites on the sandbox wait for real time; one worker more than cores uses that time. */
const waitingWorkers = maxWorkers + 1
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

/** The longest files, longest first: started last they would leave the other workers without work. */
const longest = [
  ...['faults/rollouts', 'faults/determinism', 'faults/deployers', 'faults/rollouts-two-engines', 'faults/scripts'],
  ...['cluster/rollout-edges', 'cluster/modules', 'cluster/deployments', 'cluster/rollouts', 'cluster/install'],
].map((name) => `/test/${name}.test.ts`)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex((name) => moduleId.endsWith(name))
      return index < 0 ? longest.length : index
    }
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
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
          // Projects with different numbers of workers must not be in the same group.
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'sandbox',
          include: ['test/{sandbox,faults,cluster}/**/*.test.ts'],
          pool: 'forks',
          maxWorkers: waitingWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      { test: { ...real, name: 'cluster', include: ['test/cluster/**/*.test.ts'], sequence: { groupOrder: 2 } } },
      {
        test: {
          ...real,
          name: 'webhook',
          include: ['test/cluster/{gate*,rollout*,install,operator-down}.test.ts'],
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          ...shared,
          name: 'walks',
          include: ['test/walks/**/*.test.ts'],
          testTimeout: 180_000,
          // A walk waits for programs most of the time; more of them at once would wait for each other.
          maxConcurrency: waitingWorkers,
          sequence: { groupOrder: 5 },
        },
      },
      {
        test: {
          ...shared,
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          setupFiles: ['test/replay/properties.ts'],
          pool: 'forks',
          testTimeout: 1_800_000,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
})
