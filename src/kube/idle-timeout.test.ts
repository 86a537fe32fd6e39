import { describe, expect, it } from 'vitest'
import { createSimulation } from '../runtime/simulated/index.ts'
import { IdleTimeout } from './idle-timeout.ts'

function createWorld() {
  const simulation = createSimulation(1)
  const parent = new AbortController()
  const timeout = new IdleTimeout(simulation.clock, parent.signal, 1_000)
  return { simulation, parent, timeout }
}

describe('IdleTimeout', () => {
  it('expires when nothing was received since the last reset', async () => {
    const { simulation, timeout } = createWorld()
    await simulation.advance(900)
    timeout.reset()
    await simulation.advance(999)
    expect(timeout.signal.aborted).toBe(false)
    await simulation.advance(2)
    expect(timeout.signal.aborted).toBe(true)
    expect(timeout.isExpired).toBe(true)
  })

  it('aborts with the reason of the parent signal', () => {
    const { parent, timeout } = createWorld()
    parent.abort(new Error('stop'))
    expect(timeout.signal.reason).toEqual(new Error('stop'))
    expect(timeout.isExpired).toBe(false)
  })

  it('leaves no timer after its end', async () => {
    const { simulation, timeout } = createWorld()
    timeout.end()
    expect(timeout.signal.aborted).toBe(true)
    await simulation.advance(10_000)
    expect(timeout.isExpired).toBe(false)
  })

  it('is aborted at once when the parent signal is', () => {
    const { simulation, parent } = createWorld()
    parent.abort()
    expect(new IdleTimeout(simulation.clock, parent.signal, 1_000).signal.aborted).toBe(true)
  })
})
