import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import type { RateLimits } from './ratelimit.ts'
import { createWorkQueue } from './workqueue.ts'

function createWorld(limits: RateLimits = {}) {
  const simulation = createSimulation(1)
  const { runtime } = simulation
  const { clock } = runtime
  const queue = createWorkQueue(runtime, { name: 'test', limits })
  const stop = new AbortController()
  const runs: string[] = []
  const at = () => `${Math.round(clock.monotonic())}`
  /** Records when each key was worked on; `work` decides how it goes. */
  const run = (work: (key: string) => Promise<void> = () => Promise.resolve(), concurrency = 1) =>
    queue.run(
      async (key) => {
        runs.push(`${at()} ${key}`)
        await work(key)
      },
      stop.signal,
      concurrency,
    )
  return { simulation, runtime, clock, queue, stop, runs, run }
}

describe('createWorkQueue', () => {
  it('contains a key once and processes keys in the order they were added', async () => {
    const { simulation, queue, runs, run } = createWorld()
    for (const key of ['b', 'a', 'b', 'c', 'a']) queue.add(key)
    expect(queue.length).toBe(3)
    void run()
    await simulation.advance(1)
    expect(runs).toEqual(['0 b', '0 a', '0 c'])
    expect(queue.length).toBe(0)
  })

  it('never gives a key to two workers, and processes it once more if it was added meanwhile', async () => {
    const { simulation, clock, queue, runs, run } = createWorld()
    let atOnce = 0
    let most = 0
    const work = async (key: string) => {
      if (key === 'slow') most = Math.max(most, ++atOnce)
      await clock.sleep(100)
      if (key === 'slow') atOnce--
    }
    void run(work, 4)
    queue.add('slow')
    await simulation.advance(10)
    for (let again = 0; again < 5; again++) queue.add('slow')
    queue.add('other')
    await simulation.advance(1_000)
    expect(runs).toEqual(['0 slow', '10 other', '100 slow'])
    expect(most).toBe(1)
  })

  it('processes as many keys at once as concurrency allows', async () => {
    const { simulation, clock, queue, runs, run } = createWorld()
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key)
    void run(() => clock.sleep(10), 2)
    await simulation.advance(50)
    expect(runs).toEqual(['0 a', '0 b', '10 c', '10 d'])
  })

  it('adds a key at the earliest of several delays', async () => {
    const { simulation, queue, runs, run } = createWorld()
    void run()
    queue.addAfter('a', 500)
    queue.addAfter('a', 200)
    queue.addAfter('a', 900)
    queue.addAfter('b', 0)
    await simulation.advance(2_000)
    expect(runs).toEqual(['0 b', '200 a'])
  })

  it('retries a failed key with exponential back-off until it succeeds, and then resets the back-off', async () => {
    const { simulation, queue, runs, run } = createWorld()
    let failures = 0
    void run(() => (++failures % 5 === 0 ? Promise.resolve() : Promise.reject(new Error('not yet'))))
    queue.add('a')
    await simulation.advance(1_000)
    expect(runs).toEqual(['0 a', '5 a', '15 a', '35 a', '75 a'])
    queue.add('a')
    await simulation.advance(6)
    expect(runs.slice(5)).toEqual(['1000 a', '1005 a'])
    expect(simulation.logs.filter((record) => record.message === 'work failed')).toHaveLength(6)
  })

  it('retries work that throws synchronously', async () => {
    const { simulation, queue, stop } = createWorld()
    let calls = 0
    const work = () => {
      if (++calls === 1) throw new Error('at once')
      return Promise.resolve()
    }
    void queue.run(work, stop.signal)
    queue.add('a')
    await simulation.advance(100)
    expect(calls).toBe(2)
  })

  it('keeps the back-off of a key added with addRateLimited until forget', async () => {
    const { simulation, queue, runs, run } = createWorld()
    void run((key) => {
      if (runs.length < 4) queue.addRateLimited(key)
      else queue.forget(key)
      return Promise.resolve()
    })
    queue.add('a')
    await simulation.advance(1_000)
    expect(runs).toEqual(['0 a', '5 a', '15 a', '35 a'])
  })

  it('limits the retries of all keys together', async () => {
    const { simulation, queue, runs, run } = createWorld({ burst: 2, rate: 1, base: 1 })
    void run()
    for (const key of ['a', 'b', 'c', 'd']) queue.addRateLimited(key)
    await simulation.advance(10_000)
    expect(runs).toEqual(['1 a', '1 b', '1000 c', '2000 d'])
  })

  it('caps the back-off', async () => {
    const { simulation, queue, runs, run } = createWorld({ base: 1, cap: 8 })
    void run(() => Promise.reject(new Error('no')))
    queue.add('a')
    await simulation.advance(30)
    expect(runs).toEqual(['0 a', '1 a', '3 a', '7 a', '15 a', '23 a'])
  })

  it('ends when its signal aborts, after the running work, and drops waiting keys', async () => {
    const { simulation, clock, queue, stop, runs, run } = createWorld()
    queue.add('a')
    queue.add('b')
    queue.addAfter('c', 50)
    let finished = false
    const running = run(async () => {
      await clock.sleep(100)
      finished = true
    })
    await simulation.advance(10)
    stop.abort()
    await expect(run()).rejects.toThrow('the queue is running already')
    await simulation.run(() => running)
    expect(finished).toBe(true)
    expect(clock.monotonic()).toBe(100)
    expect(queue.length).toBe(0)
    await simulation.advance(1_000)
    expect(runs).toEqual(['0 a'])
    await queue.run(() => Promise.resolve(), stop.signal)
  })

  it('counts depth, waiting time and retries', async () => {
    const { simulation, runtime, queue, run } = createWorld()
    queue.add('a')
    queue.add('b')
    expect(await runtime.metrics.render()).toContain('carabiner_workqueue_depth{name="test"} 2')
    await simulation.advance(20)
    void run((key) => (key === 'a' ? Promise.reject(new Error('no')) : Promise.resolve()))
    await simulation.advance(2)
    const text = await runtime.metrics.render()
    expect(text).toContain('carabiner_workqueue_depth{name="test"} 0')
    expect(text).toContain('carabiner_workqueue_adds_total{name="test"} 2')
    expect(text).toContain('carabiner_workqueue_retries_total{name="test"} 1')
    expect(text).toContain('carabiner_workqueue_queue_duration_seconds_sum{name="test"} 0.04')
  })
})
