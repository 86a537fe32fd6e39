/** The same seed gives the same trace, byte for byte, with every part of the runtime in use. All simulation tests depend on this. */
import { expect, it } from 'vitest'
import type { HttpBody, HttpHandler } from '../http.ts'
import type { FaultPlan } from './fault-plan.ts'
import { withFaults } from './faults.ts'
import { createSimulation, type Simulation } from './simulation.ts'

const numbers = Array.from({ length: 100 }, (_, index) => index * 7919)
const origin = 'https://api:6443'
const plan: FaultPlan = [
  { kind: 'stop', domain: 'engine', when: 'after', write: 4 },
  { kind: 'drop', match: { contains: 'watch', from: 2 }, afterBytes: 9 },
  { kind: 'delay', match: { contains: 'watch', from: 3 }, milliseconds: 250 },
  { kind: 'stale', match: { method: 'GET', contains: '/things', from: 3 }, back: 1 },
  { kind: 'answer', match: { method: 'POST', from: 3 }, status: 429, headers: { 'retry-after': '1' } },
]

/** Stores objects, lists them and streams each to watchers. */
async function serve(
  { runtime: { clock, http } }: { runtime: Simulation['runtime'] },
  simulation: Simulation,
): Promise<void> {
  const things: string[] = []
  const handler: HttpHandler = async ({ method, target, signal }) => {
    if (method === 'POST') things.push(target)
    const events = async function* (): HttpBody {
      for (let next = things.length; !signal?.aborted; await clock.sleep(100, signal)) {
        while (next < things.length) yield new TextEncoder().encode(`event ${things[next++]}\n`)
      }
    }
    const body = target.includes('watch') ? events() : new TextEncoder().encode(things.join())
    return { status: 200, headers: {}, body }
  }
  await http.listen({ host: 'api', port: 6443 }, withFaults(handler, plan, simulation))
}

/** Three workers that write, run hooks and append to journals at random times, and one that watches. */
function engine({ clock, files, http, log, processes, random, traces }: Simulation['runtime']): void {
  const worker = async (name: string): Promise<void> => {
    for (let round = 0; round < 5; round++) {
      await clock.sleep(Math.floor(random.next() * 3) * 100)
      await traces.span(`round of ${name}`, async (span) => {
        const answer = await http.request(
          { origin },
          { method: 'POST', target: `/things/${name}${round}`, headers: {} },
        )
        span.set({ status: answer.status })
        const hook = processes.spawn({ command: 'hook', args: [name, random.uuid()], env: {} })
        for await (const chunk of hook.stdout) await files.append(`/tmp/${name}`, chunk)
        log.info('hook ended', { ...(await hook.exit) })
        await http.request({ origin }, { method: 'GET', target: '/things', headers: {} })
      })
    }
  }
  const watcher = async (): Promise<void> => {
    for (;;) {
      try {
        const { body } = await http.request({ origin }, { method: 'GET', target: '/things?watch=true', headers: {} })
        if (!(body instanceof Uint8Array)) for await (const chunk of body) log.info('event', { size: chunk.byteLength })
      } catch (error) {
        log.warn('watch broke', { error: String(error) })
      }
      await clock.sleep(50 * random.next())
    }
  }
  for (const work of [worker('a'), worker('b'), worker('c'), watcher()]) void work
}

async function traceFrom(number: number): Promise<string> {
  const simulation = createSimulation(number)
  simulation.script('hook', async ({ spec, runtime, print }) => {
    await runtime.clock.sleep(runtime.random.next() * 40)
    print(`ran ${spec.args?.join(' ')}\n`)
    return runtime.random.next() < 0.2 ? 1 : 0
  })
  await simulation.run(async () => {
    await serve(simulation.domain('api'), simulation)
    const first = simulation.domain('engine')
    engine(first.runtime)
    while (!first.halted) await simulation.clock.sleep(1000)
    engine(simulation.domain('engine').runtime)
    await simulation.clock.sleep(10_000)
  })
  return simulation.trace.text() + JSON.stringify(simulation.logs)
}

it('equal seeds give equal traces (100 seeds, two runs each) and different seeds different ones', async () => {
  const first: string[] = []
  for (const number of numbers) first.push(await traceFrom(number))
  for (const [index, number] of numbers.entries()) expect(await traceFrom(number)).toBe(first[index])
  expect(new Set(first).size).toBe(numbers.length)
})

it('the trace contains every kind of event', async () => {
  const trace = await traceFrom(1)
  const kinds = ['timer', 'request', 'answer 200', 'answer 429', 'bytes', 'cut', 'halt', 'file write', 'span', 'listen']
  for (const kind of [...kinds, 'process start', 'process exit', 'engine#2']) expect(trace).toContain(kind)
})
