/**
 * The machine as a `Runtime`: real time, real chance, real processes, files and sockets.
 */
import type { Runtime } from '../runtime.ts'
import { createRealClock } from './clock.ts'
import { createRealFiles } from './files.ts'
import { createRealHttpClient } from './http-client.ts'
import { createRealHttpServers } from './http-server.ts'
import { createRealLog, type LogOptions } from './log.ts'
import { createRealMetrics } from './metrics.ts'
import { createRealProcesses } from './processes.ts'
import { createRealRandom } from './random.ts'
import { createRealTraces } from './traces.ts'

export interface RealRuntimeOptions {
  readonly log?: LogOptions
  /** @default the environment of this process */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface RealRuntime extends Runtime {
  /** Lets go of kept-alive connections, so that the process can end. */
  close(): Promise<void>
}

export function createRealRuntime(options: RealRuntimeOptions = {}): RealRuntime {
  const client = createRealHttpClient()
  const servers = createRealHttpServers()
  return {
    clock: createRealClock(),
    random: createRealRandom(),
    processes: createRealProcesses(),
    files: createRealFiles(),
    http: { ...client, ...servers },
    log: createRealLog(options.log),
    metrics: createRealMetrics(),
    traces: createRealTraces(),
    env: options.env ?? process.env,
    close: () => client.close(),
  }
}
