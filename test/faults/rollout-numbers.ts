/**
 * Rollouts drawn from numbers, shared among processes. How far they are is printed, and each number that fails at once, with the command
 * that plays it again; the others are played all the same.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { numbersFor, replayCommand } from '../replay/numbers.ts'
import { WorkerPool } from './pool/pool.ts'

export function itKeepsPromises(usual: readonly number[]): void {
  const numbers = numbersFor('rollouts', usual)
  let crew: WorkerPool | undefined
  beforeAll(async () => {
    crew = await WorkerPool.create()
  })
  afterAll(() => crew?.close())

  it(`keeps its promises whatever happens, ${numbers.length} numbers`, async () => {
    const tell = (line: string) => void process.stdout.write(`${line}\n`)
    const failed: number[] = []
    let played = 0
    let seconds = 0
    const play = async (number: number) => {
      try {
        const answer = await crew?.play({ number })
        seconds += answer?.seconds ?? 0
      } catch (error) {
        failed.push(number)
        tell(
          `rollouts: number ${number} failed: ${error instanceof Error ? error.message : String(error)}\n  replay it with: ${replayCommand('rollouts', number)}`,
        )
      }
      played++
      if (played % 100 === 0 || played === numbers.length)
        tell(
          `rollouts: ${played} of ${numbers.length} numbers, ${failed.length} failed, ${Math.round(seconds)} CPU seconds`,
        )
    }
    await Promise.all(numbers.map(play))
    expect(
      failed.map((number) => replayCommand('rollouts', number)),
      'numbers that failed, and how to play them again',
    ).toEqual([])
  }, 1_800_000)
}
