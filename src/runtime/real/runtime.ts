/** The `Runtime` of Node.js: real time, randomness, processes, files and sockets. */
import type { LogLevel, LogVolume } from '../log.ts'
import type { Runtime } from '../runtime.ts'
import { createRealClock } from './clock.ts'
import { createRealFiles } from './files.ts'
import { Guard } from './guard.ts'
import type { RealHttpClient } from './http-client.ts'
import { createRealHttpServers } from './http-server.ts'
import { createRealLog, type LogOptions } from './log.ts'
import { createRealMetrics } from './metrics.ts'
import { createRealProcesses } from './processes.ts'
import { createRealRandom } from './random.ts'
import { createRealTraces } from './traces.ts'
import { createRealWorkers } from './workers.ts'

export interface RealRuntimeOptions {
  readonly log?: Omit<LogOptions, 'volume'> & {
    /** At the start. @default 'info' */
    readonly level?: LogLevel
  }
  /** @default the environment of this process */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface RealRuntime extends Runtime {
  /** Closes idle connections, so that the process can exit. */
  close(): Promise<void>
}

export function createRealRuntime(options: RealRuntimeOptions = {}): RealRuntime {
  let loading: Promise<RealHttpClient> | undefined
  // Loaded on demand: undici takes longest to load, and a process that only serves does not need it.
  const client = (): Promise<RealHttpClient> => {
    loading ??= import('./http-client.ts').then(({ createRealHttpClient }) => createRealHttpClient())
    return loading
  }
  const guard = new Guard()
  const logVolume: LogVolume = { level: options.log?.level ?? 'info' }
  return {
    clock: createRealClock(),
    random: createRealRandom(),
    processes: createRealProcesses(undefined, guard),
    workers: createRealWorkers(),
    files: createRealFiles(guard),
    http: {
      ...createRealHttpServers(),
      request: async (endpoint, request) => (await client()).request(endpoint, request),
    },
    log: createRealLog({ ...options.log, volume: logVolume }),
    logVolume,
    metrics: createRealMetrics(),
    traces: createRealTraces(),
    env: options.env ?? process.env,
    close: async () => (await loading)?.close(),
  }
}
