/** For callers that wait for the end of an attended run instead of coming back to observe it. */
import type { Observation } from '../outcome/index.ts'
import type { Run } from '../run/index.ts'
import type { Executor } from './executor.ts'

export type EndedObservation = Extract<Observation, { state: 'succeeded' | 'failed' }>

/** Starts the run, resolves with how it ended and forgets it. Rejects when `signal` aborts, after the run has been cancelled. */
export async function runToEnd<Action>(
  executor: Executor<Action>,
  run: Run,
  action: Action,
  signal: AbortSignal,
): Promise<EndedObservation> {
  signal.throwIfAborted()
  let stop = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      stop = () => reject(signal.reason as Error)
      signal.addEventListener('abort', stop, { once: true })
      executor.start(run, action, resolve).then((started) => (started === 'refused' ? resolve() : undefined), reject)
    })
    const seen = executor.observe(run)
    if (seen.state === 'succeeded' || seen.state === 'failed') return seen
    throw new Error(`run ${run.hook} of ${run.subject.name} is ${seen.state}`)
  } finally {
    signal.removeEventListener('abort', stop)
    await executor.cancel(run)
  }
}
