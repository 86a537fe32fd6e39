/** Waiting made from timers, the same for every clock. */
import type { Clock } from './clock.ts'

/** `listen` is told of the signal before a listener is added to it. */
export function sleepBy(after: Clock['after'], listen: (signal: AbortSignal) => void = () => {}): Clock['sleep'] {
  return (delay, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason)
        return
      }
      const onAbort = (): void => {
        timer.cancel()
        reject(signal?.reason)
      }
      const timer = after(delay, () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      })
      if (signal === undefined) return
      listen(signal)
      signal.addEventListener('abort', onAbort, { once: true })
    })
}
