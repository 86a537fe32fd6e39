/**
 * One call of a deployer's function. It is isolated: what it throws is an answer, and when it does not let go after its signal has
 * aborted, it is left behind and may write nothing any more.
 */
import type { Clock } from '../../runtime/clock.ts'
import type { DeployContext, DeployFunction, Outcome } from './deployer.ts'

/** How long a function may take to end after its signal. */
const grace = 10_000

export async function call(
  run: DeployFunction<unknown>,
  context: DeployContext<unknown>,
  clock: Clock,
  shutdown: AbortSignal,
): Promise<Outcome> {
  const { signal } = context
  signal.throwIfAborted()
  const done = new AbortController()
  const left = new Promise<never>((_, reject) => {
    const leave = () => reject(signal.reason)
    shutdown.addEventListener('abort', leave, { once: true, signal: done.signal })
    const late = () => void clock.sleep(grace, done.signal).then(leave, () => undefined)
    signal.addEventListener('abort', late, { once: true, signal: done.signal })
  })
  try {
    const outcome = await Promise.race([start(run, context), left])
    return outcome ?? {}
  } finally {
    done.abort()
  }
}

/** A function that throws at once has failed like one that rejects. */
async function start(run: DeployFunction<unknown>, context: DeployContext<unknown>): Promise<Outcome | undefined> {
  return await run(context)
}
