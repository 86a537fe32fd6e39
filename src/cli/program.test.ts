import { expect, it } from 'vitest'
import { recordedContext } from '../../test/cli/context.ts'
import { createSimulation } from '../runtime/simulated/index.ts'
import { buildProgram, connect } from './program.ts'

it('--version prints the version and exits with 0', async () => {
  const { context, written } = recordedContext(createSimulation(1).runtime)
  const program = await buildProgram(context, undefined)
  connect(program, context)
  await expect(program.parseAsync(['--version'], { from: 'user' })).rejects.toMatchObject({ exitCode: 0 })
  expect(written()).toMatch(/^\d+\.\d+\.\d+\S*\n$/)
})
