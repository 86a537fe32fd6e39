/**
 * Virtual time with real processes. The cluster, its clock and the queues of hooks are simulated; hooks are real programs on real files. The two
 * are joined by one rule: while anything real is under way, virtual time stands still and nothing simulated happens. So a hook takes no
 * virtual time, a day passes in a moment, and the same case gives the same runs in the same order. The price: what a hook does behind the
 * operator's back (kubectl, `date`, `sleep`) belongs to the real world.
 */
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Simulation } from '../../../runtime/simulated/index.ts'

/** Milliseconds of real time that children left behind may hold the output of a hook open. */
const daemonGrace = 1000

/** Milliseconds of real time for what a function printed to arrive after its answer. */
const outputGrace = 20

/** `longestRun`: milliseconds of real time after which a hook is killed, because no virtual time passes for it. */
export function mixedRuntime(simulation: Simulation, real: Runtime, longestRun: number): Runtime {
  const hold: Hold = (work) => simulation.hold(work)
  return {
    ...simulation.runtime,
    env: real.env,
    files: held(real.files, hold),
    processes: processes(real, hold, longestRun),
    workers: workers(real, hold, longestRun),
  }
}

type Hold = <T>(work: Promise<T>) => Promise<T>

/** Every promise of its methods holds the time; so do those of what they give. */
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

function processes(real: Runtime, hold: Hold, longestRun: number): Runtime['processes'] {
  return {
    spawn: (spec) => {
      const running = real.processes.spawn(spec)
      const limit = real.clock.after(longestRun, () => running.kill('SIGKILL'))
      const children = running.ended.then(
        () => real.clock.after(daemonGrace, () => running.stopReading()),
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
    // Time must stand still for them, and so they are started one by one.
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

function workers(real: Runtime, hold: Hold, longestRun: number): Runtime['workers'] {
  return {
    start: (spec) => {
      const worker = real.workers.start(spec)
      const call: typeof worker.call = async (member, argument, signal) => {
        const limit = real.clock.after(longestRun, () => void worker.terminate())
        try {
          return await worker.call(member, argument, signal)
        } finally {
          limit.cancel()
          await real.clock.sleep(outputGrace)
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
