/**
 * Exports traces of a running operator as the OpenTelemetry variables say. The exporter packages are not part of this package; without them
 * the operator runs without traces and logs what to install.
 */

import type { Runtime } from '../../runtime/index.ts'
import { hasTraceSdk, startTraceExporter } from '../../runtime/real/index.ts'

/** How long the shutdown waits until the last spans are sent. */
const flushTimeoutMs = 1000

/** Sends the remaining spans. Resolves with false when the exporter did not finish in time: it would keep the process running. */
export type StopTraces = () => Promise<boolean>

const noTraces: StopTraces = () => Promise.resolve(true)

export async function exportTraces(
  { env, log, clock }: Pick<Runtime, 'env' | 'log' | 'clock'>,
  start: typeof startTraceExporter = startTraceExporter,
): Promise<StopTraces> {
  const url = traceEndpoint(env)
  // An SDK that is already registered has its own settings.
  if (url === undefined || hasTraceSdk()) return noTraces
  try {
    const stop = await start(url)
    return async () => {
      const timeout = new AbortController()
      const sent = stop().catch((error: unknown) => log.warn('the last traces were not sent', { error }))
      const timedOut = clock.sleep(flushTimeoutMs, timeout.signal).then(
        () => false,
        () => true,
      )
      const isDone = await Promise.race([sent.then(() => true), timedOut])
      timeout.abort()
      if (!isDone) log.warn('the last traces were not sent before the timeout', { seconds: flushTimeoutMs / 1000 })
      return isDone
    }
  } catch (error) {
    log.warn('traces are not sent', { error })
    return noTraces
  }
}

/** The endpoint by the rules of OpenTelemetry: a common endpoint gets the path for traces. */
export function traceEndpoint(env: Runtime['env']): string | undefined {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined
  const own = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  if (own !== undefined && own !== '') return own
  const common = env['OTEL_EXPORTER_OTLP_ENDPOINT']
  return common === undefined || common === '' ? undefined : `${common.replace(/\/+$/, '')}/v1/traces`
}
