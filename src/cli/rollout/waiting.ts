/** Says what a rollout waits for while a command waits for it, so that the command does not look stuck. */
import type { Clock } from '../../runtime/index.ts'
import type { Output } from '../context.ts'
import { Progress } from '../terminal/progress.ts'

export interface Waiting {
  /** Says it unless it was the last thing said. */
  say(text: string): void
  /** Leaves the line clean. */
  stop(): void
}

export function waitingOn(output: Output, clock: Clock): Waiting {
  const progress = new Progress(output, clock)
  let last: string | undefined
  return {
    say(text) {
      if (text === last) return
      last = text
      if (output.isTerminal) progress.step(text)
      // A line that came only when the step is over would come too late.
      else output.write(`${new Date(clock.now()).toISOString().slice(11, 19)}  ${text}\n`)
    },
    stop: () => progress.stop(),
  }
}
