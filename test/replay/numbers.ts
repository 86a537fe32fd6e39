/**
 * Random suites play numbers: a number decides everything that happens. A failure prints the command that replays its number, and that command
 * has the suite play this number alone.
 */
import { afterEach } from 'vitest'

/** The suites that `npm run replay` knows (tools/replay/suites.mjs). */
export type Suite = 'rollouts' | 'two-engines' | 'deployers' | 'scripts' | 'modules' | 'reflector' | 'determinism'

/** `rollouts 481` while that number is replayed. */
const [replayed, replayedNumber] = (process.env['CARABINER_REPLAY'] ?? '').split(' ')

/** The numbers a suite plays: those given, or the one that is replayed. */
export function numbersFor(suite: Suite, numbers: readonly number[]): readonly number[] {
  return replayed === suite ? [Number(replayedNumber)] : numbers
}

export function replayCommand(suite: Suite, number: number): string {
  return `npm run replay -- ${suite} ${number}`
}

/** The number of a suite that plays a single one; each test that fails names the command that replays it. */
export function numberFor(suite: Suite, usual: number): number {
  const [number = usual] = numbersFor(suite, [usual])
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') report(suite, number)
  })
  return number
}

/** Plays one number; a failure names the command that replays it. */
export async function playNumber<T>(suite: Suite, number: number, play: (number: number) => Promise<T>): Promise<T> {
  try {
    return await play(number)
  } catch (error) {
    report(suite, number)
    throw error
  }
}

function report(suite: Suite, number: number): void {
  process.stdout.write(`${suite}: number ${number} failed; replay it with: ${replayCommand(suite, number)}\n`)
}
