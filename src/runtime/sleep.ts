/** `Clock.sleep` implemented with `Clock.after`, shared by all clocks. */
import type { Clock } from './clock.ts'

/** `beforeListen` is called with the signal before a listener is added to it. */
export function sleepBy(after: Clock['after'], beforeListen: (signal: AbortSignal) => void = () => {}): Clock['sleep'] {
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
      beforeListen(signal)
      signal.addEventListener('abort', onAbort, { once: true })
    })
}
