/** The worker pool reports processes that exit or fail, and rejects tasks when no process is left. */
import { afterEach, expect, it } from 'vitest'
import { WorkerPool } from './pool.ts'

let pool: WorkerPool | undefined
afterEach(() => pool?.close())
const task = (scenario: string) => ({ scenario, fault: 'restart', strides: { stride: 1, whole: 1 } }) as const

it('rejects the task of a process that exits, and gives later tasks to the others', async () => {
  pool = await WorkerPool.create(new URL('./failing-worker.ts', import.meta.url), 2)
  await expect(pool.play(task('die'))).rejects.toThrow('a worker process ended with 7')
  await expect(Promise.all([pool.play(task('one')), pool.play(task('two'))])).resolves.toHaveLength(2)
  await expect(pool.play(task('fail'))).rejects.toThrow('it failed')
  await expect(pool.play(task('die'))).rejects.toThrow('ended with 7')
  await expect(pool.play(task('one'))).rejects.toThrow('no worker process is left')
})
