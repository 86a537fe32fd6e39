/** Periodic metrics of the operator: a live tick, and queue lengths and snapshot sizes. */
import type { Runtime } from '../../runtime/index.ts'
import type { Engine } from './engine/engine.ts'
import type { EngineMetrics } from './engine/metrics.ts'

const tickMs = 10_000

/** Updates the metrics periodically, so that they exist even when no event happens. */
export function startHeartbeat(runtime: Runtime, metrics: EngineMetrics, engine: Engine): { stop(): void } {
  const measuring = repeat(runtime, tickMs / 2, () => engine.measure())
  const ticking = repeat(runtime, tickMs, () => metrics.tick())
  return {
    stop: () => {
      measuring.stop()
      ticking.stop()
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
