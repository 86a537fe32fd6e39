/**
 * Settings that can be changed while hooks run: only the level of the log. Debug falls back by itself, because an operator that was left at
 * debug fills disks.
 */
import { parseDuration } from '../../../cron/duration.ts'
import type { Clock, Timer } from '../../../runtime/clock.ts'
import { isLogLevel, type LogLevel, type LogVolume } from '../../../runtime/log.ts'

export interface ShownSetting {
  readonly name: string
  readonly value: string
  /** RFC 3339; when the value falls back. */
  readonly until?: string
}

/** Milliseconds until debug falls back, unless another time was asked for. */
const debugFor = 30 * 60_000

export class ChangeableSettings {
  readonly #clock: Clock
  readonly #volume: LogVolume
  /** What a level that holds for a while falls back to. */
  #usual: LogLevel
  #fallBack: { readonly timer: Timer; readonly at: number } | undefined

  constructor(clock: Clock, volume: LogVolume) {
    this.#clock = clock
    this.#volume = volume
    this.#usual = volume.level
  }

  list(): readonly ShownSetting[] {
    const until = this.#fallBack && { until: new Date(this.#fallBack.at).toISOString() }
    return [{ name: 'log.level', value: this.#volume.level, ...until }]
  }

  /** What is wrong with the wish, or nothing: then it holds from now on, for `duration` if one is given. */
  set(name: string, value: string, duration = ''): string | undefined {
    if (name !== 'log.level') return `${JSON.stringify(name)} is not a setting; there is only log.level`
    const level = value.toLowerCase()
    if (!isLogLevel(level)) return `log.level ${JSON.stringify(value)}: must be debug, info, warn or error`
    const wanted = duration === '' ? (level === 'debug' ? debugFor : 0) : parseDuration(duration)
    if (wanted === undefined || wanted < 0)
      return `duration ${JSON.stringify(duration)}: must be a duration such as 10m or 1h30m`
    this.stop()
    this.#volume.level = level
    if (wanted > 0) this.#fallBackAfter(wanted)
    else this.#usual = level
    return undefined
  }

  stop(): void {
    this.#fallBack?.timer.cancel()
    this.#fallBack = undefined
  }

  #fallBackAfter(milliseconds: number): void {
    const timer = this.#clock.after(milliseconds, () => {
      this.#volume.level = this.#usual
      this.#fallBack = undefined
    })
    this.#fallBack = { timer, at: this.#clock.now() + milliseconds }
  }
}
