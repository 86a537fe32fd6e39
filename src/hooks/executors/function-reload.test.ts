import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRealRuntime } from '../../runtime/real/index.ts'
import { FunctionExecutor } from './function-executor.ts'

const runtime = createRealRuntime({ log: { level: 'error' } })
let folder = ''
let functions: FunctionExecutor

beforeEach(async () => {
  folder = await runtime.files.makeTemporary('function-reload-')
  functions = new FunctionExecutor(runtime)
})
afterEach(async () => {
  await functions.close()
  await runtime.files.remove(folder)
})

const moduleText = (word: string) => `export default { config: '${word}', run: () => '${word}' }\n`
const write = (text: string) => runtime.files.write(`${folder}/hook.mjs`, text)
const call = (member: string) => ({ module: `${folder}/hook.mjs`, env: {}, member, line: () => undefined })

it('all calls after a reload have the new code, also those whose thread was busy meanwhile', async () => {
  await write(`export default { config: 'one', run: () => new Promise((end) => setTimeout(end, 200, 'one')) }\n`)
  expect(await functions.call(call('config'))).toMatchObject({ value: 'one' })
  const busy = functions.call(call('run'))
  await write(moduleText('two'))
  expect(await functions.reload(call('config'))).toMatchObject({ ended: 'value', value: 'two' })
  expect(await busy).toMatchObject({ value: 'one' })
  for (let round = 0; round < 3; round++) expect(await functions.call(call('run'))).toMatchObject({ value: 'two' })
})

it('a broken module leaves the calls with the code they have, and the message names file and line', async () => {
  await write(moduleText('one'))
  expect(await functions.call(call('run'))).toMatchObject({ value: 'one' })
  await write('export default {\n  run: () => \n}\n')
  const outcome = await functions.reload(call('config'))
  expect(outcome).toMatchObject({ ended: 'failed', message: expect.stringMatching(/hook\.mjs:3\b[\s\S]*SyntaxError/) })
  expect(await functions.call(call('run'))).toMatchObject({ value: 'one' })
  await write(moduleText('two'))
  await functions.reload(call('config'))
  expect(await functions.call(call('run'))).toMatchObject({ value: 'two' })
})
