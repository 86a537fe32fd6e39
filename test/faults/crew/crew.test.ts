/** Processes that die or fail are told of, and nobody waits for them. */
import { afterEach, expect, it } from 'vitest'
import { Crew } from './crew.ts'

let crew: Crew | undefined
afterEach(() => crew?.dismiss())
const task = (scenario: string) => ({ scenario, fault: 'restart', strides: { stride: 1, whole: 1 } }) as const

it('gives work to the living only', async () => {
  crew = await Crew.gather(new URL('./mortal.ts', import.meta.url), 2)
  await expect(crew.play(task('die'))).rejects.toThrow('a process of the crew ended with 7')
  await expect(Promise.all([crew.play(task('one')), crew.play(task('two'))])).resolves.toHaveLength(2)
  await expect(crew.play(task('fail'))).rejects.toThrow('it failed')
  await expect(crew.play(task('die'))).rejects.toThrow('ended with 7')
  await expect(crew.play(task('one'))).rejects.toThrow('no process of the crew is left')
})
