/** `runShort` of a simulated process: plays the programs with the time limit and the results of the real implementation. */
import { concat } from '../bytes.ts'
import { type Processes, type ProgramOutput, type RunningProcess, shortProgramsTimeoutMs } from '../processes.ts'
import type { Cell } from './cell.ts'

/** As on a machine with eight processors. */
const lanes = 8

export function createShortPrograms(parent: Cell, spawn: Processes['spawn']): Processes['runShort'] {
  return (programs, env, signal) => {
    const settle: ((printed: ProgramOutput | undefined) => void)[] = []
    const answers = programs.map(
      (_, index) => new Promise<ProgramOutput | undefined>((resolve) => (settle[index] = resolve)),
    )
    const running = new Set<RunningProcess>()
    let isOver = signal?.aborted ?? false
    const end = () => {
      isOver = true
      limit.cancel()
      signal?.removeEventListener('abort', end)
      for (const one of running) one.kill('SIGTERM')
      for (const give of settle) give(undefined)
    }
    const limit = parent.scheduler.schedule(parent, shortProgramsTimeoutMs, end)
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

async function printed({ stdout, stderr }: RunningProcess): Promise<ProgramOutput> {
  return { stdout: await all(stdout), stderr: await all(stderr) }
}

async function all(output: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of output) chunks.push(chunk)
  return concat(chunks)
}
