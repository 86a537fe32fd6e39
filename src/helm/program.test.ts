import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRealRuntime, type RealRuntime } from '../runtime/real/index.ts'
import { withHelm } from './program.ts'

let runtime: RealRuntime
let folder: string

beforeEach(async () => {
  runtime = createRealRuntime({ log: { level: 'error' } })
  folder = await runtime.files.makeTemporary('helm-test-')
})
afterEach(async () => {
  await runtime.files.remove(folder)
  await runtime.close()
})

/** Calls a program of this shell text in place of helm. */
async function call(script: string): Promise<string> {
  await runtime.files.write(`${folder}/helm`, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const options = { runtime, program: `${folder}/helm`, subject: 'a test', env: () => ({ PATH: '/usr/bin:/bin' }) }
  return await withHelm(options, (run) => run.call({ args: ['template'], signal: new AbortController().signal }))
}

it('returns what helm prints', async () => {
  expect(await call('echo "$1"')).toBe('template\n')
})

it.each(['stdout', 'stderr'])('ends a program that prints without end to %s', async (stream) => {
  const refused = call(`exec yes ${'x'.repeat(1000)}${stream === 'stderr' ? ' >&2' : ''}`)
  await expect(refused).rejects.toMatchObject({
    code: 'CRB_HELM_FAILED',
    message: 'helm template: prints more than 64 MiB.',
  })
})

it('tells values that the schema of the chart refuses from other failures', async () => {
  const words =
    "Error: UPGRADE FAILED: values don't meet the specifications of the schema(s) in the following chart(s):"
  const refused = call(`printf '%s\\n' "${words}" 'shop:' '- at /replicas: got string, want integer' >&2; exit 1`)
  await expect(refused).rejects.toMatchObject({ code: 'CRB_HELM_VALUES_REFUSED' })
  await expect(call('echo "Error: no" >&2; exit 1')).rejects.toMatchObject({ code: 'CRB_HELM_FAILED' })
})
