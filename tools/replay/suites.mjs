/** The random suites: the files of each, and a pattern for the titles of the tests that play numbers where a file has others too. */
export const suites = {
  rollouts: { files: ['test/faults/rollouts-by-chance.test.ts'] },
  'two-engines': { files: ['test/faults/rollouts-two-engines.test.ts'], titles: 'W14' },
  deployers: {
    files: ['test/faults/deployers.test.ts', 'test/long/deployers.test.ts'],
    titles: 'two processes at once',
  },
  scripts: {
    files: ['test/faults/scripts.test.ts', 'test/long/scripts.test.ts'],
    titles: '^script hooks|^hooks lose nothing',
  },
  modules: { files: ['test/faults/modules.test.ts'] },
  reflector: { files: ['test/faults/reflector-random.test.ts'] },
  determinism: { files: ['test/faults/determinism.test.ts'] },
}

/** Properties of fast-check are replayed by their file, seed and path; these files have a short name. */
export const propertyFiles = { jq: 'test/long/jq.test.ts' }
