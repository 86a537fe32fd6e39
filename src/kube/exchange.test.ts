import { describe, expect, it } from 'vitest'
import { createSimulation } from '../runtime/simulated/index.ts'
import { Exchange } from './exchange.ts'

function createWorld() {
  const simulation = createSimulation(1)
  const parent = new AbortController()
  const exchange = new Exchange(simulation.clock, parent.signal, 1_000)
  return { simulation, parent, exchange }
}

describe('an exchange', () => {
  it('ends after silence, counted from what was heard last', async () => {
    const { simulation, exchange } = createWorld()
    await simulation.advance(900)
    exchange.hear()
    await simulation.advance(999)
    expect(exchange.signal.aborted).toBe(false)
    await simulation.advance(2)
    expect(exchange.signal.aborted).toBe(true)
    expect(exchange.silent).toBe(true)
  })

  it('ends with whoever asked, for the same reason', () => {
    const { parent, exchange } = createWorld()
    parent.abort(new Error('stop'))
    expect(exchange.signal.reason).toEqual(new Error('stop'))
    expect(exchange.silent).toBe(false)
  })

  it('leaves no timer behind once it is hung up', async () => {
    const { simulation, exchange } = createWorld()
    exchange.hangUp()
    expect(exchange.signal.aborted).toBe(true)
    await simulation.advance(10_000)
    expect(exchange.silent).toBe(false)
  })

  it('does not begin when it is over already', () => {
    const { simulation, parent } = createWorld()
    parent.abort()
    expect(new Exchange(simulation.clock, parent.signal, 1_000).signal.aborted).toBe(true)
  })
})
