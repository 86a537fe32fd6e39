/** The worker pool reports processes that exit or fail, and rejects tasks when no process is left. */
import { afterEach, expect, it } from 'vitest'
import { WorkerPool } from './pool.ts'

let crew: WorkerPool | undefined
afterEach(() => crew?.close())
const task = (scenario: string) => ({ scenario, fault: 'restart', strides: { stride: 1, whole: 1 } }) as const

it('rejects the task of a process that exits, and gives later tasks to the others', async () => {
  crew = await WorkerPool.create(new URL('./failing-worker.ts', import.meta.url), 2)
  await expect(crew.play(task('die'))).rejects.toThrow('a worker process ended with 7')
  await expect(Promise.all([crew.play(task('one')), crew.play(task('two'))])).resolves.toHaveLength(2)
  await expect(crew.play(task('fail'))).rejects.toThrow('it failed')
  await expect(crew.play(task('die'))).rejects.toThrow('ended with 7')
  await expect(crew.play(task('one'))).rejects.toThrow('no worker process is left')
})
