import { expect, it } from 'vitest'
import { recordedContext } from '../../../test/cli/context.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { command } from './index.ts'

it('reads the deployers file only once, because it may be a pipe', async () => {
  const { runtime } = createSimulation(1)
  let reads = 0
  const readText = async () => (++reads === 1 ? 'deployers: [{name: mock}]\n' : '')
  const { context, written } = recordedContext({ ...runtime, files: { ...runtime.files, readText } })
  const args = ['--print', '--image', 'i', '--no-rollouts', '--deployers-config', '/dev/stdin']
  await command(context).parseAsync(args, { from: 'user' })
  expect(written()).toContain('deployers: [{name: mock}]')
})
