/**
 * One signal stops many waits at once here, as it should; Node suspects a leak from the eleventh on and says so on the terminal.
 */
import { setMaxListeners } from 'node:events'

export function tolerateListeners(signal: AbortSignal): void {
  setMaxListeners(0, signal)
}
