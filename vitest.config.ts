// Tiers: `unit` sits beside the code and shares one thread pool; the others drive the built product and get a process per file. `cluster` is
// the acceptance suite on a real control plane, `webhook` what rollouts promise on one that has no admission policies.
import { defineConfig } from 'vitest/config'

const shared = { environment: 'node' as const, testTimeout: 30_000, hookTimeout: 120_000 }
const real = {
  ...shared,
  pool: 'forks' as const,
  maxWorkers: 1,
  env: { CARABINER_TEST_CLUSTER: 'real' },
  globalSetup: ['test/control-plane/setup.ts'],
}

export default defineConfig({
  test: {
    projects: [
      { test: { ...shared, name: 'unit', include: ['src/**/*.test.ts'], pool: 'threads', isolate: false } },
      { test: { ...shared, name: 'sandbox', include: ['test/{sandbox,faults,cluster}/**/*.test.ts'], pool: 'forks' } },
      { test: { ...real, name: 'cluster', include: ['test/cluster/**/*.test.ts'] } },
      { test: { ...real, name: 'webhook', include: ['test/cluster/{gate*,rollout*,install,operator-down}.test.ts'] } },
      { test: { ...shared, name: 'long', include: ['test/long/**/*.test.ts'], pool: 'forks', testTimeout: 1_800_000 } },
    ],
  },
})
