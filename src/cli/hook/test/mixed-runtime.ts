/**
 * Virtual time with real processes. The cluster, its clock and the queues of hooks are simulated; hooks are real programs with real files.
 * While a real operation runs, virtual time stops and no simulated event fires. So a hook takes no virtual time, a wait of a day takes
 * none in reality, and the same case gives the same runs in the same order. Limit: what a hook does on its own (kubectl, `date`, `sleep`)
 * uses the real cluster and the real time.
 */
import type { Runtime } from '../../../runtime/index.ts'
import type { Simulation } from '../../../runtime/simulated/index.ts'

/** How long, in real time, children of an ended hook may keep its output open. */
const childOutputGraceMs = 1000

/** How long, in real time, output of a function may arrive after its result. */
const functionOutputGraceMs = 20

/** `runTimeoutMs` is in real time, because a hook takes no virtual time. */
export function mixedRuntime(simulation: Simulation, real: Runtime, runTimeoutMs: number): Runtime {
  const hold: Hold = (work) => simulation.hold(work)
  return {
    ...simulation.runtime,
    env: real.env,
    files: held(real.files, hold),
    processes: processes(real, hold, runTimeoutMs),
    workers: workers(real, hold, runTimeoutMs),
  }
}

type Hold = <T>(work: Promise<T>) => Promise<T>

/** Stops virtual time during every promise of its methods, and of the methods of objects they return. */
function held<T extends object>(target: T, hold: Hold): T {
  return new Proxy(target, {
    get: (own, key) => {
      const member: unknown = Reflect.get(own, key)
      if (typeof member !== 'function') return member
      return (...given: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(member, own, given)
        if (!(answer instanceof Promise)) return answer
        return hold(answer).then((value: unknown) => (hasMethods(value) ? held(value, hold) : value))
      }
    },
  })
}

function hasMethods(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'remove' in value
}

function processes(real: Runtime, hold: Hold, runTimeoutMs: number): Runtime['processes'] {
  return {
    spawn: (spec) => {
      const running = real.processes.spawn(spec)
      const limit = real.clock.after(runTimeoutMs, () => running.kill('SIGKILL'))
      const children = running.ended.then(
        () => real.clock.after(childOutputGraceMs, () => running.stopReading()),
        () => undefined,
      )
      const exit = hold(running.exit)
      const over = async () => {
        limit.cancel()
        ;(await children)?.cancel()
      }
      exit.then(over, over)
      return {
        ...running,
        pid: running.pid,
        stdout: heldChunks(running.stdout, hold),
        stderr: heldChunks(running.stderr, hold),
        ended: hold(running.ended),
        exit,
        kill: (signal) => running.kill(signal),
        stopReading: () => running.stopReading(),
      }
    },
    warmUp: async () => undefined,
    // Always undefined, so that the caller uses `spawn`, which stops virtual time.
    runShort: (programs) => programs.map(() => Promise.resolve(undefined)),
  }
}

async function* heldChunks(chunks: AsyncIterable<Uint8Array>, hold: Hold): AsyncIterable<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = await hold(Promise.resolve(source.next()))
    if (done === true) return
    yield value
  }
}

function workers(real: Runtime, hold: Hold, runTimeoutMs: number): Runtime['workers'] {
  return {
    start: (spec) => {
      const worker = real.workers.start(spec)
      const call: typeof worker.call = async (member, argument, signal) => {
        const limit = real.clock.after(runTimeoutMs, () => void worker.terminate())
        try {
          return await worker.call(member, argument, signal)
        } finally {
          limit.cancel()
          await real.clock.sleep(functionOutputGraceMs)
        }
      }
      return {
        stdout: worker.stdout,
        stderr: worker.stderr,
        call: (member, argument, signal) => hold(call(member, argument, signal)),
        terminate: () => hold(worker.terminate()),
      }
    },
  }
}
