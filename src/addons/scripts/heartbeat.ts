/** What the operator tells of itself by the clock, whatever happens: that it lives, and how long its queues are. */
import type { Runtime } from '../../runtime/runtime.ts'
import type { Engine } from './engine/engine.ts'
import type { EngineMetrics } from './engine/metrics.ts'

/** Milliseconds between two signs of life. */
const tick = 10_000

/** A scraper must see them also when nothing happens. */
export function beat(runtime: Runtime, metrics: EngineMetrics, engine: Engine): { stop(): void } {
  const often = repeat(runtime, tick / 2, () => engine.measure())
  const seldom = repeat(runtime, tick, () => metrics.tick())
  return {
    stop: () => {
      often.stop()
      seldom.stop()
    },
  }
}

function repeat({ clock }: Runtime, interval: number, act: () => void): { stop(): void } {
  const next = () =>
    clock.after(interval, () => {
      act()
      timer = next()
    })
  let timer = next()
  return { stop: () => timer.cancel() }
}
