/**
 * Engines that hear nothing for a while: what they watch comes late, in its order, while everything they write goes through. Their caches
 * are behind what they know to have done.
 */
import type { Clock, HttpResponse, Instant } from '../../../runtime/index.ts'

export const deafnesses = ['deaf', 'deaf-to-hooks', 'deaf-to-policies'] as const
export type Deafness = (typeof deafnesses)[number]

/** Longer than a hook takes. */
const duration = 40_000
const unheard: Readonly<Record<Deafness, RegExp>> = {
  deaf: /./,
  'deaf-to-hooks': /\/(jobs|pods)\b/,
  'deaf-to-policies': /\/rolloutpolicies\b/,
}

export class Ears {
  /** How much has come to the ears of all engines, deaf or not. */
  sounds = 0
  readonly #clock: Clock
  readonly #deaf = new Map<string, { readonly until: Instant; readonly how: Deafness }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  deafen(engine: string, how: Deafness): void {
    this.#deaf.set(engine, { until: this.#clock.now() + duration, how })
  }

  /** The answer to a watch as the engine hears it. */
  heard(engine: string, target: string, response: HttpResponse): HttpResponse {
    const { body } = response
    if (body instanceof Uint8Array) return response
    return { ...response, body: this.#late(engine, target, body) }
  }

  async *#late(engine: string, target: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      this.sounds++
      const silence = this.#deaf.get(engine)
      const now = this.#clock.now()
      if (silence !== undefined && silence.until > now && unheard[silence.how].test(target))
        await this.#clock.sleep(silence.until - now)
      yield chunk
    }
  }
}
