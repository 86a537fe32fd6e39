// Tiers: `unit` sits beside the code and shares one thread pool; the others drive the built product and get a process per file.
import { defineConfig } from 'vitest/config'

const shared = { environment: 'node' as const, testTimeout: 30_000, hookTimeout: 120_000 }

export default defineConfig({
  test: {
    projects: [
      { test: { ...shared, name: 'unit', include: ['src/**/*.test.ts'], pool: 'threads', isolate: false } },
      { test: { ...shared, name: 'sandbox', include: ['test/{sandbox,faults,cluster}/**/*.test.ts'], pool: 'forks' } },
      {
        test: {
          ...shared,
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          pool: 'forks',
          maxWorkers: 1,
          env: { CARABINER_TEST_CLUSTER: 'real' },
          globalSetup: ['test/control-plane/setup.ts'],
        },
      },
      { test: { ...shared, name: 'long', include: ['test/long/**/*.test.ts'], pool: 'forks', testTimeout: 1_800_000 } },
    ],
  },
})
