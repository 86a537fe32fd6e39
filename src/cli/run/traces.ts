/**
 * Traces of a running operator, sent where the variables of OpenTelemetry say. Their packages are not part of this one: without them the
 * operator works all the same, and says what to install.
 */
import { hasTraceSdk, startTraceExporter } from '../../runtime/real/index.ts'
import type { Runtime } from '../../runtime/runtime.ts'

/** Milliseconds that the end waits for somebody to take the last ones. */
const patience = 1000

/** Sends what is left. The answer is whether the exporter is done: one that waits for a collector keeps the process for many seconds. */
export type StopTraces = () => Promise<boolean>

const nothing: StopTraces = () => Promise.resolve(true)

export async function exportTraces(
  { env, log, clock }: Pick<Runtime, 'env' | 'log' | 'clock'>,
  start: typeof startTraceExporter = startTraceExporter,
): Promise<StopTraces> {
  const url = traceEndpoint(env)
  // An SDK that was loaded before us has settings of its own.
  if (url === undefined || hasTraceSdk()) return nothing
  try {
    const stop = await start(url)
    return async () => {
      const over = new AbortController()
      const sent = stop().catch((error: unknown) => log.warn('the last traces were not sent', { error }))
      const late = clock.sleep(patience, over.signal).then(
        () => false,
        () => true,
      )
      const isDone = await Promise.race([sent.then(() => true), late])
      over.abort()
      if (!isDone) log.warn('the last traces were not sent: nobody took them in time', { seconds: patience / 1000 })
      return isDone
    }
  } catch (error) {
    log.warn('traces are not sent', { error })
    return nothing
  }
}

/** As every program reads it that uses OpenTelemetry: the common address has a path for each kind of data. */
export function traceEndpoint(env: Runtime['env']): string | undefined {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined
  const own = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  if (own !== undefined && own !== '') return own
  const common = env['OTEL_EXPORTER_OTLP_ENDPOINT']
  return common === undefined || common === '' ? undefined : `${common.replace(/\/+$/, '')}/v1/traces`
}
