import { describe, expect, it } from 'vitest'
import type { Clock } from '../../runtime/clock.ts'
import { RateLimiter } from './ratelimit.ts'

/** Time that the test moves; timers fire in order. */
function handClock() {
  let now = 0
  let timers: { readonly at: number; readonly fire: () => void }[] = []
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    after(delay, fire) {
      const timer = { at: now + delay, fire }
      timers.push(timer)
      return {
        cancel() {
          timers = timers.filter((one) => one !== timer)
        },
      }
    },
    sleep: () => Promise.resolve(),
  }
  async function pass(milliseconds: number): Promise<void> {
    const end = now + milliseconds
    for (;;) {
      const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      timers = timers.filter((one) => one !== next)
      now = next.at
      next.fire()
      await Promise.resolve()
    }
    now = end
    await Promise.resolve()
  }
  return { clock, pass }
}

describe('RateLimiter', () => {
  it('sends a burst at once and then one request per interval', async () => {
    const { clock, pass } = handClock()
    const turn = new RateLimiter(clock, { qps: 10, burst: 3 }).turnOf('a')
    let gone = 0
    for (let index = 0; index < 10; index++) void turn().then(() => gone++)
    await pass(0)
    expect(gone).toBe(3)
    await pass(250)
    expect(gone).toBe(5)
    await pass(500)
    expect(gone).toBe(10)
  })

  it('does not limit requests when qps is negative', async () => {
    const { clock, pass } = handClock()
    const turn = new RateLimiter(clock, { qps: -1, burst: 3 }).turnOf('a')
    let gone = 0
    for (let index = 0; index < 1000; index++) void turn().then(() => gone++)
    await pass(0)
    expect(gone).toBe(1000)
  })

  it('accumulates unused tokens up to the burst', async () => {
    const { clock, pass } = handClock()
    const turn = new RateLimiter(clock, { qps: 10, burst: 3 }).turnOf('a')
    await Promise.all([turn(), turn(), turn()])
    await pass(60_000)
    let gone = 0
    for (let index = 0; index < 5; index++) void turn().then(() => gone++)
    await pass(0)
    expect(gone).toBe(3)
  })

  it('serves waiting surfaces in turn, however many requests one of them has', async () => {
    const { clock, pass } = handClock()
    const limiter = new RateLimiter(clock, { qps: 100, burst: 1 })
    const order: string[] = []
    const ask = (surface: string, times: number) => {
      const turn = limiter.turnOf(surface)
      for (let index = 0; index < times; index++) void turn().then(() => order.push(surface))
    }
    ask('greedy', 100)
    ask('modest', 2)
    ask('late', 1)
    await pass(60)
    expect(order).toEqual(['greedy', 'greedy', 'modest', 'late', 'greedy', 'modest', 'greedy'])
  })

  it('drops a request whose signal aborts', async () => {
    const { clock, pass } = handClock()
    const turn = new RateLimiter(clock, { qps: 10, burst: 1 }).turnOf('a')
    await turn()
    const stop = new AbortController()
    const left = turn(stop.signal)
    let gone = false
    void turn().then(() => {
      gone = true
    })
    stop.abort(new Error('enough'))
    await expect(left).rejects.toThrow('enough')
    await pass(100)
    expect(gone).toBe(true)
  })
})
