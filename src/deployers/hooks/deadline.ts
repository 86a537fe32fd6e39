/**
 * The deadline of a hook that is a function. One that never settles would keep its item from being reconciled and the process from ending,
 * so it is abandoned: its signal aborts, and whatever it does later has no effect.
 */
import type { Clock } from '../../runtime/index.ts'
import type { HookArguments, ReconcileExtensionHook } from './registry.ts'

export interface HookDeadline {
  readonly clock: Clock
  /** @default 5 minutes */
  readonly timeoutMs: number
}

export const defaultHookTimeoutMs = 5 * 60_000

type Answer = Awaited<ReturnType<ReconcileExtensionHook>>

/** Also true for promises of other libraries. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  )
}

/** The hook with a signal of its own, and with an answer that comes in time or rejects. */
export function withDeadline(hook: ReconcileExtensionHook, { clock, timeoutMs }: HookDeadline): ReconcileExtensionHook {
  return (given) => {
    const stop = new AbortController()
    const { signal: shutdown } = given
    const answer = hook(withSignal(given, stop))
    if (!isThenable(answer)) return answer
    return new Promise<Answer>((resolve, reject) => {
      const timer = clock.after(timeoutMs, () => {
        const error = new Error(`did not settle within ${timeoutMs / 1000} s`)
        given.log.warn('hook abandoned', { point: given.type, hook: hook.name, seconds: timeoutMs / 1000 })
        end(() => reject(error), error)
      })
      const cancel = () => end(() => reject(shutdown.reason), shutdown.reason)
      const end = (settle: () => void, reason?: unknown) => {
        timer.cancel()
        shutdown.removeEventListener('abort', cancel)
        if (reason !== undefined) stop.abort(reason)
        settle()
      }
      if (shutdown.aborted) cancel()
      else shutdown.addEventListener('abort', cancel, { once: true })
      answer.then(
        (value) => end(() => resolve(value as Answer)),
        (error: unknown) => end(() => reject(error)),
      )
    })
  }
}

/** The signal is made when the hook asks for it: most hooks return at once and never do. */
function withSignal(given: HookArguments, stop: AbortController): HookArguments {
  let combined: AbortSignal | undefined
  return Object.defineProperty({ ...given }, 'signal', {
    enumerable: true,
    get: () => (combined ??= AbortSignal.any([given.signal, stop.signal])),
  })
}
