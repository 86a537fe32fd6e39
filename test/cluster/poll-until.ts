/**
 * Repeats a request until the result is accepted. For state that an API server updates with a delay and without
 * notification: permissions, registrations, definitions. Limited by time, because the number of requests means nothing.
 */
import { setTimeout as pause } from 'node:timers/promises'

/** The pause between requests. */
const pauseMs = 20

/** The first result for which `holds` returns true; `turn` counts from 0. */
export async function pollUntil<T>(
  what: string,
  request: (turn: number) => Promise<T>,
  holds: (answer: T) => boolean,
  seconds = 60,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000
  for (let turn = 0; ; turn++) {
    const answer = await request(turn)
    if (holds(answer)) return answer
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}; the last answer:\n${shown(answer)}`)
    await pause(pauseMs)
  }
}

function shown(answer: unknown): string {
  const text = JSON.stringify(answer, (key, value: unknown) => (key === 'bytes' ? undefined : value), 1)
  return (text ?? 'none').slice(0, 4000)
}
