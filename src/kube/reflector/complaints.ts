/**
 * What the log hears of a reflector's failures. A watch that ends and a version that is forgotten belong to its life; a list or a watch that
 * does not come about is trouble, which is told when it begins, once a minute while it lasts, and when it is over.
 */
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/log.ts'
import type { Failure } from './failure.ts'
import type { State } from './state.ts'

/** Milliseconds after which the same trouble is told of again. */
const reminder = 60_000

interface Trouble {
  readonly message: string
  readonly since: number
  toldAt: number
}

type Part = 'list' | 'watch'

export class Complaints {
  readonly #log: Logger
  readonly #clock: Clock
  readonly #troubles = new Map<Part, Trouble>()

  constructor(log: Logger, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  failed(state: State['kind'], failure: Failure): void {
    const part = partOf(state)
    const fields = { state, ...failure }
    // Servers end watches as they please.
    if (part === undefined || !('message' in failure) || (part === 'watch' && failure.kind === 'broken')) {
      this.#log.info('list or watch failed', fields)
      return
    }
    const { message } = failure
    const now = this.#clock.monotonic()
    const known = this.#troubles.get(part)
    if (known?.message === message && now - known.toldAt < reminder) {
      this.#log.debug('list or watch failed', fields)
      return
    }
    this.#troubles.set(part, { message, since: known?.since ?? now, toldAt: now })
    const lasting = known === undefined ? {} : { seconds: Math.round((now - known.since) / 1000) }
    this.#log.warn('list or watch failed', { ...fields, ...lasting })
  }

  /** What was done in that state succeeded. */
  succeeded(state: State['kind']): void {
    const part = partOf(state)
    const trouble = part === undefined ? undefined : this.#troubles.get(part)
    if (part === undefined || trouble === undefined) return
    this.#troubles.delete(part)
    this.#log.info(`${part} works again`, { seconds: Math.round((this.#clock.monotonic() - trouble.since) / 1000) })
  }
}

function partOf(state: State['kind']): Part | undefined {
  if (state === 'paging' || state === 'doubting') return 'list'
  return state === 'watching' ? 'watch' : undefined
}
