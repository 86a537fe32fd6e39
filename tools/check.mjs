/**
 * `npm run check`: every static check of the repository, one line each, with its output only when it fails. As many run side by side as there
 * are cores. A check that passed is not repeated on the same inputs; `--all` repeats it.
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { cacheFolder, checks, everything } from './check/list.mjs'
import { fingerprinter, passedChecks } from './check/passed.mjs'
import { schedule } from './check/schedule.mjs'

/** Runs the checks and returns how many passed and failed. */
export async function runChecks({ all = false } = {}) {
  const fingerprintOf = fingerprinter()
  const passed = passedChecks(join(cacheFolder, 'passed.json'))
  const prints = new Map(checks.map((check) => [check, fingerprintOf(check.inputs ?? everything)]))
  const tasks = checks.map((check) =>
    !all && passed.has(check.name, prints.get(check)) ? { ...check, after: undefined, isUnchanged: true } : check,
  )
  const results = await schedule(tasks, {
    limit: availableParallelism(),
    perform: async (task, prepared) => {
      if (task.isUnchanged) return { isOk: true, note: 'unchanged' }
      if (prepared !== undefined && !prepared.isOk) return prepared
      const result = await run(task.command())
      if (result.isOk && prints.has(task)) passed.add(task.name, prints.get(task))
      return result
    },
    report: ({ name }, { isOk, note, output }) => {
      console.log(`${isOk ? 'ok    ' : 'FAILED'}  ${name.padEnd(24)} ${note}`)
      if (!isOk) console.log(output)
    },
  })
  const failed = results.filter(({ isOk }) => !isOk).length
  return { passed: results.length - failed, failed, skipped: 0 }
}

async function run([command, ...args]) {
  const start = performance.now()
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1' } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const isOk = await new Promise((resolve) => {
    child.once('error', (error) => {
      output += error.message
      resolve(false)
    })
    child.once('close', (code) => resolve(code === 0))
  })
  return { isOk, note: `${((performance.now() - start) / 1000).toFixed(1)} s`, output: output.trimEnd() }
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const { passed, failed } = await runChecks({ all: process.argv.includes('--all') })
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed > 0 ? 1 : 0)
}
