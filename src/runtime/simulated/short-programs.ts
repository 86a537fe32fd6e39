/** Short programs of a simulated process: played like any other, but only as long and as well as the shortcut of the machine would have it. */
import { concat } from '../bytes.ts'
import { type Printed, type Processes, type RunningProcess, shortTime } from '../processes.ts'
import type { Cell } from './cell.ts'

/** As many as a machine with eight processors runs at once. */
const lanes = 8

export function createShortPrograms(parent: Cell, spawn: Processes['spawn']): Processes['runShort'] {
  return (programs, env, signal) => {
    const settle: ((printed: Printed | undefined) => void)[] = []
    const answers = programs.map((_, index) => new Promise<Printed | undefined>((resolve) => (settle[index] = resolve)))
    const running = new Set<RunningProcess>()
    let isOver = signal?.aborted ?? false
    const end = () => {
      isOver = true
      limit.cancel()
      signal?.removeEventListener('abort', end)
      for (const one of running) one.kill('SIGTERM')
      for (const give of settle) give(undefined)
    }
    const limit = parent.scheduler.schedule(parent, shortTime, end)
    signal?.addEventListener('abort', end, { once: true })
    const waiting = programs.entries()
    const work = async () => {
      for (const [index, program] of waiting) {
        if (isOver) return
        const started = spawn({ ...program, env })
        running.add(started)
        const exit = await started.exit.catch(() => undefined)
        running.delete(started)
        settle[index]?.(exit?.code === 0 ? await printed(started) : undefined)
      }
    }
    void Promise.all(Array.from({ length: lanes }, work)).then(end)
    return answers
  }
}

async function printed({ stdout, stderr }: RunningProcess): Promise<Printed> {
  return { stdout: await all(stdout), stderr: await all(stderr) }
}

async function all(output: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of output) chunks.push(chunk)
  return concat(chunks)
}
