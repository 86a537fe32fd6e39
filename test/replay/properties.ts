/**
 * Set-up for tests with fast-check: a property that fails prints the command that replays its counterexample, and that command has the property
 * begin with the counterexample.
 */
import { relative } from 'node:path'
import fc, { type RunDetails } from 'fast-check'
import { expect } from 'vitest'

const [seed, path] = (process.env['CARABINER_REPLAY_PROPERTY'] ?? '').split(' ')

fc.configureGlobal({
  ...(seed ? { seed: Number(seed) } : {}),
  ...(path ? { path } : {}),
  reporter: report,
})

function report<T>(details: RunDetails<T>): void {
  if (!details.failed) return
  const { testPath = '', currentTestName = '' } = expect.getState()
  const name = currentTestName.split(' > ').at(-1) ?? ''
  const file = relative(process.cwd(), testPath)
  const command = `npm run replay -- ${file} ${details.seed} ${details.counterexamplePath ?? ''} -t ${JSON.stringify(name)}`
  throw new Error(`${fc.defaultReportMessage(details)}\n\nreplay it with: ${command}`, { cause: details.errorInstance })
}
