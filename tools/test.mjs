/**
 * `node tools/test.mjs TIER…`: runs the tiers one after the other, all of them even if one fails, and closes with one line that sums them up. Tiers:
 * check, and the vitest projects unit, sandbox, cluster, webhook, long; `cluster:1/2` is the first half of a project. Tiers joined by `+` run side
 * by side, each with its own control plane: most of their time goes into waiting for it.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChecks } from './check.mjs'

const total = { passed: 0, failed: 0, skipped: 0 }
const lines = []
for (const tiers of process.argv.slice(2).map((word) => word.split('+'))) {
  console.log(`\n── ${tiers.join(' and ')} ──`)
  const all = await Promise.all(tiers.map(runTier))
  for (const [index, { counts, seconds }] of all.entries()) {
    lines.push(`${tiers[index]}: ${summary(counts)}, ${seconds.toFixed(0)} s`)
    console.log(lines.at(-1))
    for (const key of Object.keys(total)) total[key] += counts[key]
  }
}
console.log(`\n${lines.join('\n')}\n${summary(total)}`)
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0)

function summary({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

async function runTier(tier) {
  const start = performance.now()
  const counts = await (tier === 'check' ? runChecks() : runVitest(tier))
  return { counts, seconds: (performance.now() - start) / 1000 }
}

async function runVitest(tier) {
  const [project, shard] = tier.split(':')
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-test-'))
  const file = join(folder, 'results.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const args = ['run', '--project', project, '--passWithNoTests', ...reporters]
  if (shard !== undefined) args.push(`--shard=${shard}`)
  const child = spawn('node_modules/.bin/vitest', args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const status = await new Promise((resolve) => {
    child.once('error', () => resolve(1))
    child.once('close', resolve)
  })
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
