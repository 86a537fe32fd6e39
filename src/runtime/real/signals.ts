/** One abort signal has many listeners in this product by design; Node would warn of a leak from the eleventh on. */
import { setMaxListeners } from 'node:events'

export function allowManyListeners(signal: AbortSignal): void {
  setMaxListeners(0, signal)
}
