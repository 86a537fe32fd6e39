/** Every static check: its name, its command, and `inputs`, all files that its result depends on. What is not named reads the whole repository. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export const cacheFolder = 'node_modules/.cache/carabiner'
const bin = (name) => `node_modules/.bin/${name}`
const node = (...args) => [process.execPath, ...args]

/** The package as it would be published, packed once for all checks that look into it. */
const packed = join(cacheFolder, 'packed')
const packing = {
  name: 'packing',
  command: () => {
    rmSync(packed, { recursive: true, force: true })
    mkdirSync(packed, { recursive: true })
    return ['npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', packed]
  },
}
const tarball = () => join(packed, readdirSync(packed)[0])
const published = [
  'dist/.sources',
  'package.json',
  'package-lock.json',
  'examples',
  'docs',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'tools/check',
]

export const everything = [
  '.changeset',
  '.ci',
  '.dependency-cruiser.cjs',
  '.github',
  '.oxlintrc.json',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'bench',
  'biome.json',
  'docs',
  'examples',
  'knip.json',
  'package-lock.json',
  'package.json',
  'src',
  'test',
  'tools',
  'tsconfig.build.json',
  'tsconfig.json',
  'vitest.config.ts',
]

/** Those that take long stand first: the others fill what is left of the cores. */
export const checks = [
  { name: 'format and lint', command: () => [bin('biome'), 'check', '--error-on-warnings', '.'] },
  {
    name: 'promises and switches',
    command: () => [bin('oxlint'), '--type-aware', '--deny-warnings', 'src', 'test', 'bench'],
  },
  {
    name: 'types',
    command: () => [
      bin('tsc'),
      '-p',
      '.',
      '--incremental',
      '--tsBuildInfoFile',
      join(cacheFolder, 'types.tsbuildinfo'),
    ],
  },
  { name: 'layers', command: () => [bin('depcruise'), '--config', '.dependency-cruiser.cjs', 'src'] },
  {
    name: 'unused code',
    command: () => [bin('knip'), '--no-progress', '--cache', '--cache-location', join(cacheFolder, 'knip')],
  },
  { name: 'package', after: packing, command: () => [bin('publint'), tarball(), '--strict'], inputs: published },
  {
    name: 'published types',
    after: packing,
    command: () => [bin('attw'), tarball(), '--profile', 'esm-only', '--no-emoji'],
    inputs: published,
  },
  { name: 'function sizes', command: () => node('tools/rule.mjs', 'sizes') },
  { name: 'positional booleans', command: () => node('tools/rule.mjs', 'booleans') },
  { name: 'room entrances', command: () => node('tools/rule.mjs', 'entrances') },
  { name: 'hooks of surfaces', command: () => node('tools/rule.mjs', 'hooks') },
  { name: 'no data as arguments', command: () => node('tools/rule.mjs', 'spreads') },
  { name: 'words', command: () => node('tools/words.mjs') },
  { name: 'spelling', command: () => node('tools/spelling.mjs') },
  { name: 'time, chance, machine', command: () => node('tools/purity.mjs') },
  {
    name: 'generated pages',
    command: () => node('tools/pages.mjs', '--check'),
    inputs: ['dist/.sources', 'docs', 'tools'],
  },
  { name: 'links', command: () => node('tools/links.mjs') },
  { name: 'contracts', command: () => node('tools/contracts.mjs') },
]
