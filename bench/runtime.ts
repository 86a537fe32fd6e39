/**
 * What virtual time costs: waits of hours, hundreds of thousands of timers, requests without a socket.
 */
import { createSimulation, type HttpHandler, type Simulation } from '../src/runtime/public.ts'
import { type BenchContext, medianOf } from './harness.ts'

const rounds = 9

async function medianMilliseconds(work: (simulation: Simulation) => Promise<unknown>): Promise<number> {
  const samples: number[] = []
  for (let round = 0; round < rounds; round++) {
    const simulation = createSimulation(round, { maxEvents: Number.POSITIVE_INFINITY })
    const begun = performance.now()
    await simulation.run(() => work(simulation))
    samples.push(performance.now() - begun)
  }
  return medianOf(samples)
}

export default {
  name: 'runtime',
  async run(context: BenchContext): Promise<void> {
    const wait = await medianMilliseconds(({ clock }) => clock.sleep(2 * 3_600_000))
    context.report('a two-hour wait in virtual time', wait, 'ms', { atMost: 1 })

    const count = 200_000
    const timers = await medianMilliseconds(({ clock }) =>
      Promise.all(Array.from({ length: count }, (_, index) => clock.sleep((index * 7919) % 100_000))),
    )
    context.report(`one of ${count} timers pending at once`, (timers / count) * 1000, 'µs')

    const requests = 20_000
    const handler: HttpHandler = async () => ({ status: 200, headers: {}, body: new Uint8Array(100) })
    const exchanges = await medianMilliseconds(async (simulation) => {
      const send = simulation.domain('engine').connect(handler)
      for (let number = 0; number < requests; number++) await send({ method: 'GET', target: '/', headers: {} })
    })
    context.report('a request and its answer in virtual time', (exchanges / requests) * 1000, 'µs')
  },
}
