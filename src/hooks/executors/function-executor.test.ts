import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { type FunctionCall, FunctionExecutor } from './function-executor.ts'
import { killGraceMs } from './process.ts'

const call: FunctionCall = { module: '/hooks/a.mjs', env: {}, member: 'run', line: () => undefined }

describe('FunctionExecutor', () => {
  it('returns the value of the function, or the message of what it threw', async () => {
    const simulation = createSimulation(1)
    simulation.module('/hooks/a.mjs', {
      config: { onStartup: 1 },
      run: async (argument: string) => `${argument}!`,
      broken: () => {
        throw new Error('no')
      },
    })
    const hooks = new FunctionExecutor(simulation.runtime)
    const outcomes = await simulation.run(async () => [
      await hooks.call({ ...call, argument: 'hello' }),
      await hooks.call({ ...call, member: 'config' }),
      await hooks.call({ ...call, member: 'broken' }),
    ])
    expect(outcomes).toMatchObject([
      { ended: 'value', value: 'hello!' },
      { ended: 'value', value: { onStartup: 1 } },
      { ended: 'failed', message: 'no' },
    ])
  })

  it('[addons T3] aborts the signal of the function at its timeout, and ends the thread when the function goes on', async () => {
    const simulation = createSimulation(1)
    let abortedAt = 0
    simulation.module('/hooks/a.mjs', {
      run: (_: unknown, signal: AbortSignal) =>
        new Promise(() => signal.addEventListener('abort', () => (abortedAt = simulation.clock.monotonic()))),
    })
    const hooks = new FunctionExecutor(simulation.runtime)
    const outcome = await simulation.run(() => hooks.call({ ...call, timeout: 5_000 }))
    expect(outcome).toEqual({ ended: 'timeout', duration: 5_000 + killGraceMs })
    expect(abortedAt).toBe(5_000)
  })

  it('[addons T3] uses a new thread for the call after a timeout', async () => {
    const simulation = createSimulation(1)
    simulation.module('/hooks/a.mjs', {
      run: (argument: string) => (argument === 'hang' ? new Promise(() => undefined) : argument),
    })
    const hooks = new FunctionExecutor(simulation.runtime)
    const after = await simulation.run(async () => {
      await hooks.call({ ...call, argument: 'hang', timeout: 1 })
      return hooks.call({ ...call, argument: 'fine' })
    })
    expect(after).toMatchObject({ ended: 'value', value: 'fine' })
  })
})
