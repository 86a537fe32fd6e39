/**
 * Everything the product needs from outside: time, randomness, processes, files, network, logs. `real` implements it with Node.js,
 * `simulated` deterministically in memory; no other code uses the platform directly.
 */
import type { Clock } from './clock.ts'
import type { Files } from './files.ts'
import type { HttpClient, HttpServers } from './http.ts'
import type { Logger, LogVolume } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Processes } from './processes.ts'
import type { Random } from './random.ts'
import type { Traces } from './traces.ts'
import type { Workers } from './workers.ts'

export interface Runtime {
  readonly clock: Clock
  readonly random: Random
  readonly processes: Processes
  readonly workers: Workers
  readonly files: Files
  readonly http: HttpClient & HttpServers
  readonly log: Logger
  readonly logVolume: LogVolume
  readonly metrics: Metrics
  readonly traces: Traces
  /** Environment variables of this process (empty in a simulation unless given). */
  readonly env: Readonly<Record<string, string | undefined>>
}
