import { describe, expect, it } from 'vitest'
import { createSimulation } from './simulation.ts'

const hours = 3_600_000

describe('virtual time', () => {
  it('a wait of two hours takes one event', async () => {
    const simulation = createSimulation(1)
    const begun = simulation.clock.now()
    await simulation.run(() => simulation.clock.sleep(2 * hours))
    expect(simulation.turns).toBe(1)
    expect(simulation.clock.now() - begun).toBe(2 * hours)
  })

  it('all runnable promises continue before the next timer fires, however long the chain', async () => {
    const simulation = createSimulation(1)
    const order: string[] = []
    await simulation.run(async () => {
      simulation.clock.after(0, () => order.push('timer'))
      for (let step = 0; step < 5_000; step++) await Promise.resolve()
      order.push('chain')
      await simulation.clock.sleep(1)
    })
    expect(order).toEqual(['chain', 'timer'])
  })

  it('the seed decides the order of events that are due at the same time', async () => {
    const orderFor = async (seed: number): Promise<string> => {
      const simulation = createSimulation(seed)
      let order = ''
      await simulation.run(async () => {
        for (const letter of 'abcd') simulation.clock.after(5, () => (order += letter))
        await simulation.clock.sleep(6)
      })
      return order
    }
    const orders = await Promise.all(Array.from({ length: 200 }, (_, seed) => orderFor(seed)))
    // Four events have 24 orders; 200 seeds should meet every one of them.
    expect(new Set(orders).size).toBe(24)
    expect(await orderFor(3)).toBe(orders[3])
  })

  it('time stops between runs and continues where it stopped', async () => {
    const simulation = createSimulation(1)
    let ticks = 0
    const tick = (): void => {
      ticks++
      simulation.clock.after(10, tick)
    }
    simulation.clock.after(10, tick)
    await simulation.advance(35)
    expect(ticks).toBe(3)
    await simulation.advance(10)
    expect(ticks).toBe(4)
  })

  it('starts at the given time', () => {
    const start = Date.UTC(2031, 4, 5)
    expect(createSimulation(1, { start }).clock.now()).toBe(start)
    expect(createSimulation(1).clock.now()).toBe(Date.UTC(2026, 0, 1))
  })
})

describe('a duration that is no number', () => {
  const wrong = '2h' as unknown as number

  it('is refused with the name of its field', async () => {
    const { clock } = createSimulation(1)
    const refused = (name: string) => `${name} is "2h" but must be a number of milliseconds`
    expect(() => createSimulation(1, { limit: wrong })).toThrow(refused('limit'))
    expect(() => createSimulation(1, { start: wrong })).toThrow(refused('start'))
    expect(() => clock.after(wrong, () => undefined)).toThrow(refused('delay'))
    await expect(clock.sleep(wrong)).rejects.toMatchObject({ code: 'CRB_DURATION_INVALID', message: refused('delay') })
    expect(() => createSimulation(1).advance(wrong)).toThrow(refused('milliseconds'))
    expect(() => clock.after(Number.NaN, () => undefined)).toThrow('delay is NaN')
  })
})

describe('run', () => {
  it('settles with the result or the exception of main', async () => {
    const simulation = createSimulation(1)
    expect(await simulation.run(async () => 7)).toBe(7)
    await expect(simulation.run(() => Promise.reject(new Error('main failed')))).rejects.toThrow('main failed')
    const throwing = (): Promise<void> => {
      throw new Error('main threw')
    }
    await expect(simulation.run(throwing)).rejects.toThrow('main threw')
  })

  it('rejects with the exception of a timer', async () => {
    const simulation = createSimulation(1)
    const run = simulation.run(async () => {
      simulation.clock.after(1, () => {
        throw new Error('timer failed')
      })
      await simulation.clock.sleep(2)
    })
    await expect(run).rejects.toThrow('timer failed')
  })

  it('lists pending operations when no event is scheduled', async () => {
    const simulation = createSimulation(1)
    simulation.script('endless', () => new Promise(() => undefined))
    const { http, processes } = simulation.domain('engine').runtime
    const run = simulation.run(async () => {
      await simulation
        .domain('server')
        .runtime.http.listen({ host: '127.0.0.1', port: 80 }, () => new Promise(() => undefined))
      const request = http.request({ origin: 'http://127.0.0.1' }, { method: 'GET', target: '/silent', headers: {} })
      await Promise.all([request, processes.spawn({ command: 'endless', env: {} }).exit])
    })
    await expect(run).rejects.toMatchObject({
      code: 'CRB_SIMULATION_STUCK',
      message: [
        'the simulation cannot finish: no event is scheduled; pending:',
        '  engine: answer to GET /silent',
        '  engine: end of process endless[1001]',
      ].join('\n'),
    })
  })

  it('fails after its limit of virtual time', async () => {
    const simulation = createSimulation(1, { limit: 1000 })
    const again = (): void => void simulation.clock.after(10, again)
    again()
    await expect(simulation.run(() => new Promise(() => undefined))).rejects.toThrow(
      'not finished after 1 virtual seconds; pending:\n  main: timer of 10 ms',
    )
  })

  it('fails after its number of events, and names timers, work that has not ended, and what was logged', async () => {
    const simulation = createSimulation(1)
    const { clock, log, traces } = simulation.runtime
    const run = simulation.run(async () => {
      void traces.span('sizes shop/web', () => new Promise(() => undefined))
      log.warn('reconcile failed', { key: 'shop/api' })
      clock.after(90_000_000, () => undefined)
      for (;;) await clock.sleep(1000)
    })
    await expect(run).rejects.toMatchObject({
      code: 'CRB_SIMULATION_STUCK',
      message: [
        'the simulation cannot finish: not finished after 10000 events, in 10000 virtual seconds; a run that needs more sets maxEvents; pending:',
        '  main: sizes shop/web',
        '  main: timer of 1000 ms, 90000000 ms',
        'again and again:',
        '  main: timer 1000ms',
        'last warnings:',
        '  main: reconcile failed {"key":"shop/api"}',
      ].join('\n'),
    })
  })

  it('fails when events follow each other without any time between them', async () => {
    const simulation = createSimulation(1)
    const again = (): void => void simulation.clock.after(0, again)
    again()
    await expect(simulation.run(() => simulation.clock.sleep(1))).rejects.toThrow('10000 events, in 0 virtual seconds')
  })

  it('counts the events of each run, and none while time is advanced', async () => {
    const simulation = createSimulation(1, { maxEvents: 10 })
    const again = (): void => void simulation.clock.after(1, again)
    again()
    for (let round = 0; round < 3; round++) await simulation.run(() => simulation.clock.sleep(5))
    await simulation.advance(1000)
    await expect(simulation.run(() => simulation.clock.sleep(50))).rejects.toThrow('not finished after 10 events')
  })

  it('time stops while held work outside the simulation runs', async () => {
    const simulation = createSimulation(1)
    const order: string[] = []
    await simulation.run(async () => {
      simulation.clock.after(10, () => order.push(`timer at ${simulation.clock.monotonic()}`))
      const real = new Promise<string>((resolve) => setTimeout(resolve, 30, 'real'))
      order.push(`${await simulation.hold(real)} at ${simulation.clock.monotonic()}`)
      await expect(simulation.hold(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
      await simulation.clock.sleep(20)
    })
    expect(order).toEqual(['real at 0', 'timer at 10'])
  })

  it('a run inside a run fails', async () => {
    const simulation = createSimulation(1)
    await expect(simulation.run(() => simulation.advance(1))).rejects.toThrow('runs already')
  })
})

it('logs have virtual times and no credentials', async () => {
  const simulation = createSimulation(1, { start: 0 })
  await simulation.advance(1500)
  simulation.domain('engine').runtime.log.with({ hook: 'a' }).warn('slow', { token: 'abc', seconds: 3 })
  expect(simulation.logs).toEqual([
    {
      time: 1500,
      domain: 'engine',
      level: 'warn',
      message: 'slow',
      fields: { hook: 'a', token: '[redacted]', seconds: 3 },
    },
  ])
})
