import { describe, expect, it } from 'vitest'
import type { RunningProcess } from '../../runtime/processes.ts'
import { createRealRuntime } from '../../runtime/real/index.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { describeOutcome, killGraceMs, type ProcessHook, runProcess } from './process.ts'

const ignored: Pick<ProcessHook, 'env' | 'cwd' | 'line'> = { env: {}, cwd: '/', line: () => undefined }

describe('in virtual time', () => {
  it('[addons R3] kills a process that ignores SIGTERM after its timeout', async () => {
    const simulation = createSimulation(1)
    simulation.script('stubborn', async ({ trap, runtime }) => {
      trap('SIGTERM', () => undefined)
      await runtime.clock.sleep(1e9)
      return 0
    })
    const outcome = await simulation.run(() =>
      runProcess(simulation.runtime, { ...ignored, command: 'stubborn', timeout: 5_000 }),
    )
    expect(outcome).toEqual({
      ended: 'timeout',
      exit: { code: undefined, signal: 'SIGKILL' },
      duration: 5_000 + killGraceMs,
    })
    expect(describeOutcome(outcome, 5_000)).toBe('was ended because it took longer than 5000 ms')
  })

  it('ends the process when the signal has aborted before the start', async () => {
    const simulation = createSimulation(1)
    simulation.script('slow', async ({ runtime }) => {
      await runtime.clock.sleep(1e9)
      return 0
    })
    const signal = AbortSignal.abort()
    const outcome = await simulation.run(() => runProcess(simulation.runtime, { ...ignored, command: 'slow', signal }))
    expect(outcome).toMatchObject({ ended: 'stopped', exit: { signal: 'SIGTERM' } })
  })

  it('leaves no timer behind when the process ends before its timeout', async () => {
    const simulation = createSimulation(1)
    simulation.script('quick', async () => 0)
    await simulation.run(() => runProcess(simulation.runtime, { ...ignored, command: 'quick', timeout: 5_000 }))
    expect(simulation.clock.monotonic()).toBe(0)
  })
})

describe('on this machine', () => {
  const runtime = createRealRuntime()
  const bash = async (script: string) => {
    const lines: string[] = []
    const outcome = await runProcess(runtime, {
      command: 'bash',
      args: ['-c', script],
      env: { PATH: process.env['PATH'] ?? '' },
      cwd: '/',
      line: (_, text) => lines.push(text),
    })
    return { outcome, lines }
  }

  it('[addons R4] passes on the lines of a remaining child as long as they keep coming', async () => {
    const { outcome, lines } = await bash('(for i in 1 2 3; do sleep 0.1; echo $i; done; sleep 20) & echo 0')
    expect(outcome).toMatchObject({ ended: 'exit', exit: { code: 0 } })
    expect(lines).toEqual(['0', '1', '2', '3'])
  })

  it('keeps characters whole that are split across chunks, and removes carriage returns', async () => {
    const { lines } = await bash(`printf '\\xc3'; sleep 0.05; printf '\\xa9\\r\\nlast'`)
    expect(lines).toEqual(['é', 'last'])
  })

  it('does not lose output when the event loop was blocked while it arrived', async () => {
    const exit = { code: 0, signal: undefined }
    let happen: (what: 'readable' | 'given up') => void = () => undefined
    const next = new Promise<'readable' | 'given up'>((resolve) => {
      happen = resolve
    })
    async function* output(text: string) {
      if ((await next) === 'readable') yield new TextEncoder().encode(text)
    }
    const spawn = (): RunningProcess => {
      setImmediate(() => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
        // Due timers run before a pipe is read.
        setImmediate(() => happen('readable'))
      })
      return {
        ...{ pid: 1, stdout: output('printed'), stderr: output(''), ended: Promise.resolve(exit) },
        ...{ exit: next.then(() => exit), stopReading: () => happen('given up') },
        ...{ hasRemainingChildren: () => false, kill: () => undefined },
      }
    }
    const lines: string[] = []
    const line = (_: unknown, text: string) => lines.push(text)
    await runProcess({ ...runtime, processes: { spawn } }, { ...ignored, command: 'x', line })
    expect(lines).toEqual(['printed'])
  })

  it('names the program that cannot be started', async () => {
    const outcome = await runProcess(runtime, { ...ignored, command: '/nowhere/program' })
    expect(describeOutcome(outcome)).toBe(
      'cannot start "/nowhere/program": no such program. Install it, correct the path, or put its folder on PATH.',
    )
  })
})
