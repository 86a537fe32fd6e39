/**
 * Logs a reflector's failures. The end of a watch and an expired version are normal; a list or watch that fails is logged when the failure
 * begins, once a minute while it lasts, and when it is over.
 */
import type { Clock, Logger } from '../../runtime/index.ts'
import type { Failure } from './failure.ts'
import type { State } from './state.ts'

/** A lasting failure is logged again after this time. */
const repeatMs = 60_000

interface Lasting {
  readonly message: string
  readonly since: number
  loggedAt: number
}

type Part = 'list' | 'watch'

export class FailureLog {
  readonly #log: Logger
  readonly #clock: Clock
  readonly #lasting = new Map<Part, Lasting>()

  constructor(log: Logger, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  failed(state: State['kind'], failure: Failure): void {
    const part = partOf(state)
    const fields = { state, ...failure }
    // Servers end watches at any time.
    if (part === undefined || !('message' in failure) || (part === 'watch' && failure.kind === 'broken')) {
      this.#log.info('list or watch failed', fields)
      return
    }
    const { message } = failure
    const now = this.#clock.monotonic()
    const known = this.#lasting.get(part)
    if (known?.message === message && now - known.loggedAt < repeatMs) {
      this.#log.debug('list or watch failed', fields)
      return
    }
    this.#lasting.set(part, { message, since: known?.since ?? now, loggedAt: now })
    const duration = known === undefined ? {} : { seconds: Math.round((now - known.since) / 1000) }
    this.#log.warn('list or watch failed', { ...fields, ...duration })
  }

  /** The step of this state succeeded. */
  succeeded(state: State['kind']): void {
    const part = partOf(state)
    const lasting = part === undefined ? undefined : this.#lasting.get(part)
    if (part === undefined || lasting === undefined) return
    this.#lasting.delete(part)
    this.#log.info(`${part} works again`, { seconds: Math.round((this.#clock.monotonic() - lasting.since) / 1000) })
  }
}

function partOf(state: State['kind']): Part | undefined {
  if (state === 'paging' || state === 'verifying') return 'list'
  return state === 'watching' ? 'watch' : undefined
}
