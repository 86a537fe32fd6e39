/**
 * Calls one function of a deployer. If the function does not return soon after its signal aborts, the call ends without it, and the run can
 * write nothing more.
 */
import type { Clock } from '../../runtime/index.ts'
import type { DeployContext, DeployFunction, Outcome } from './deployer.ts'

/** How long a function may take to return after its signal has aborted. */
const abortGraceMs = 10_000

export async function callDeployer(
  run: DeployFunction<unknown>,
  context: DeployContext<unknown>,
  clock: Clock,
  shutdown: AbortSignal,
): Promise<Outcome> {
  const { signal } = context
  signal.throwIfAborted()
  const done = new AbortController()
  const abandoned = new Promise<never>((_, reject) => {
    const abandon = () => reject(signal.reason)
    shutdown.addEventListener('abort', abandon, { once: true, signal: done.signal })
    const abandonLater = () => void clock.sleep(abortGraceMs, done.signal).then(abandon, () => undefined)
    signal.addEventListener('abort', abandonLater, { once: true, signal: done.signal })
  })
  try {
    const outcome = await Promise.race([start(run, context), abandoned])
    return outcome ?? {}
  } finally {
    done.abort()
  }
}

/** Turns a synchronous throw into a rejection. */
async function start(run: DeployFunction<unknown>, context: DeployContext<unknown>): Promise<Outcome | undefined> {
  return await run(context)
}
