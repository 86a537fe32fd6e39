/**
 * Asks until the answer will do. For what an API server learns in its own time and tells nobody: rights, registrations, definitions. How
 * often it has to be asked says nothing, so only time ends it.
 */
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds between two questions: a server that is asked without a break learns nothing new. */
const breath = 20

/** The first answer of which `holds` is true; `turn` counts from 0. */
export async function insist<T>(
  what: string,
  ask: (turn: number) => Promise<T>,
  holds: (answer: T) => boolean,
  seconds = 60,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000
  for (let turn = 0; ; turn++) {
    const answer = await ask(turn)
    if (holds(answer)) return answer
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}; the last answer:\n${shown(answer)}`)
    await pause(breath)
  }
}

function shown(answer: unknown): string {
  const text = JSON.stringify(answer, (key, value: unknown) => (key === 'bytes' ? undefined : value), 1)
  return (text ?? 'none').slice(0, 4000)
}
