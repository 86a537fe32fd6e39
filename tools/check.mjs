/**
 * `npm run check`: every static check of the repository, one line each, with its output only when it fails.
 */
import { spawnSync } from 'node:child_process'

const bin = (name) => `node_modules/.bin/${name}`
export const checks = [
  ['format and lint', bin('biome'), ['check', '--error-on-warnings', '.']],
  ['promises and switches', bin('oxlint'), ['--type-aware', '--deny-warnings', 'src', 'test', 'bench']],
  ['types', bin('tsc'), ['-p', '.']],
  ['time, chance, machine', process.execPath, ['tools/purity.mjs']],
  ['layers', bin('depcruise'), ['--config', '.dependency-cruiser.cjs', 'src']],
  ['unused code', bin('knip'), ['--no-progress']],
  ['package', bin('publint'), ['--strict']],
  ['published types', bin('attw'), ['--pack', '.', '--profile', 'esm-only', '--no-emoji']],
  ['generated pages', process.execPath, ['tools/pages.mjs', '--check']],
  ['links', process.execPath, ['tools/links.mjs']],
  ['words', process.execPath, ['tools/words.mjs', '--check']],
  ['contracts', process.execPath, ['tools/contracts.mjs']],
]

/** Runs all checks and returns how many passed and failed. */
export function runChecks() {
  let failed = 0
  for (const [name, command, args] of checks) {
    const start = performance.now()
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    })
    const took = `${((performance.now() - start) / 1000).toFixed(1)} s`
    console.log(`${status === 0 ? 'ok    ' : 'FAILED'}  ${name.padEnd(24)} ${took}`)
    if (status === 0) continue
    failed += 1
    console.log([error?.message, stdout, stderr].filter(Boolean).join('\n').trimEnd())
  }
  return { passed: checks.length - failed, failed, skipped: 0 }
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const { passed, failed } = runChecks()
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed > 0 ? 1 : 0)
}
