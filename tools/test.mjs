/**
 * `node tools/test.mjs TIER…`: runs the tiers named, one after the other, all of them even if one fails, and closes with one line
 * that sums them up. Tiers: check, and the vitest projects unit, sandbox, cluster, webhook, long.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChecks } from './check.mjs'

const total = { passed: 0, failed: 0, skipped: 0 }
for (const tier of process.argv.slice(2)) {
  console.log(`\n── ${tier} ──`)
  const counts = tier === 'check' ? await runChecks() : runVitest(tier)
  console.log(`${tier}: ${summary(counts)}`)
  for (const key of Object.keys(total)) total[key] += counts[key]
}
console.log(`\n${summary(total)}`)
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0)

function summary({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

function runVitest(project) {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-test-'))
  const file = join(folder, 'results.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const { status } = spawnSync(
    'node_modules/.bin/vitest',
    ['run', '--project', project, '--passWithNoTests', ...reporters],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, numTodoTests = 0 } = read(file)
  rmSync(folder, { recursive: true, force: true })
  // A file that does not load or a failing set-up has no test of its own to count.
  const failed = status !== 0 && numFailedTests === 0 ? 1 : numFailedTests
  return { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests }
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
