/**
 * Settings that can be changed at run time: only the log level. The level debug is reset after a while, because a forgotten debug level
 * fills disks.
 */
import { parseDuration } from '../../../cron/index.ts'
import { type Clock, isLogLevel, type LogLevel, type LogVolume, type Timer } from '../../../runtime/index.ts'

export interface ShownSetting {
  readonly name: string
  readonly value: string
  /** When the value is reset, in RFC 3339. */
  readonly until?: string
}

/** How long the level debug stays without a given duration. */
const defaultDebugMs = 30 * 60_000

export class ChangeableSettings {
  readonly #clock: Clock
  readonly #volume: LogVolume
  /** The level after a temporary one. */
  #permanent: LogLevel
  #reset: { readonly timer: Timer; readonly at: number } | undefined

  constructor(clock: Clock, volume: LogVolume) {
    this.#clock = clock
    this.#volume = volume
    this.#permanent = volume.level
  }

  list(): readonly ShownSetting[] {
    const until = this.#reset && { until: new Date(this.#reset.at).toISOString() }
    return [{ name: 'log.level', value: this.#volume.level, ...until }]
  }

  /** Changes a setting, for `duration` if given. Returns an error message if a value is invalid. */
  set(name: string, value: string, duration = ''): string | undefined {
    if (name !== 'log.level') return `${JSON.stringify(name)} is not a setting; there is only log.level`
    const level = value.toLowerCase()
    if (!isLogLevel(level)) return `log.level ${JSON.stringify(value)}: must be debug, info, warn or error`
    const temporaryMs = duration === '' ? (level === 'debug' ? defaultDebugMs : 0) : parseDuration(duration)
    if (temporaryMs === undefined || temporaryMs < 0)
      return `duration ${JSON.stringify(duration)}: must be a duration such as 10m or 1h30m`
    this.stop()
    this.#volume.level = level
    if (temporaryMs > 0) this.#resetAfter(temporaryMs)
    else this.#permanent = level
    return undefined
  }

  stop(): void {
    this.#reset?.timer.cancel()
    this.#reset = undefined
  }

  #resetAfter(milliseconds: number): void {
    const timer = this.#clock.after(milliseconds, () => {
      this.#volume.level = this.#permanent
      this.#reset = undefined
    })
    this.#reset = { timer, at: this.#clock.now() + milliseconds }
  }
}
