import { describe, expect, it } from 'vitest'
import type { RunningProcess } from '../processes.ts'
import { createSimulation } from './simulation.ts'

async function textOf(output: RunningProcess['stdout']): Promise<string> {
  let text = ''
  for await (const chunk of output) text += new TextDecoder().decode(chunk)
  return text
}

describe('scripted processes', () => {
  it('have input, output and exit code of a program', async () => {
    const simulation = createSimulation(1)
    simulation.script('greet', async ({ spec, runtime, print, printError }) => {
      print(`hello ${spec.args?.[0]} `)
      await runtime.clock.sleep(5000)
      print(new TextDecoder().decode(spec.stdin))
      printError('warning')
      return 3
    })
    await simulation.run(async () => {
      const stdin = new TextEncoder().encode('world')
      const process = simulation.runtime.processes.spawn({ command: '/usr/bin/greet', args: ['my'], env: {}, stdin })
      expect(await textOf(process.stdout)).toBe('hello my world')
      expect(await textOf(process.stderr)).toBe('warning')
      expect(await process.exit).toEqual({ code: 3, signal: undefined })
      process.kill('SIGKILL')
    })
    expect(simulation.clock.monotonic()).toBe(5000)
  })

  it('end at once on a signal unless they handle it', async () => {
    const simulation = createSimulation(1)
    let went = 0
    simulation.script('stubborn', ({ runtime, trap }) => {
      trap('SIGTERM', () => void went++)
      return runtime.clock.sleep(1e6).then(() => 0)
    })
    await simulation.run(async () => {
      const process = simulation.runtime.processes.spawn({ command: 'stubborn', env: {} })
      await simulation.clock.sleep(10)
      process.kill('SIGTERM')
      await simulation.clock.sleep(10)
      expect(went).toBe(1)
      process.kill('SIGKILL')
      expect(await process.exit).toEqual({ code: undefined, signal: 'SIGKILL' })
    })
    expect(simulation.clock.monotonic()).toBe(20)
  })

  it('end with code 1 and the message of an exception', async () => {
    const simulation = createSimulation(1)
    simulation.script('broken', () => Promise.reject(new Error('no such table')))
    await simulation.run(async () => {
      const process = simulation.runtime.processes.spawn({ command: 'broken', env: {} })
      expect(await process.exit).toEqual({ code: 1, signal: undefined })
      expect(await textOf(process.stderr)).toBe('no such table\n')
    })
  })

  it('fail to start without a script', async () => {
    const simulation = createSimulation(1)
    const run = simulation.run(() => simulation.runtime.processes.spawn({ command: 'helm', env: {} }).exit)
    await expect(run).rejects.toMatchObject({
      code: 'CRB_PROCESS_NOT_FOUND',
      message: 'cannot start "helm": no such program',
    })
  })
})
