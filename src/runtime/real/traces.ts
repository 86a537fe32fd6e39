/**
 * Traces through the OpenTelemetry API. Without an exporter the API records nothing; the exporter's packages are large and loaded
 * only when someone names an endpoint.
 */
import { createRequire } from 'node:module'
import type * as OpenTelemetry from '@opentelemetry/api'
import { CarabinerError } from '../errors.ts'
import type { Span, Traces } from '../traces.ts'

const exporterPackages = ['@opentelemetry/sdk-trace-node', '@opentelemetry/exporter-trace-otlp-http'] as const

/** Where an SDK that has been set up, by us or by whoever embeds us, can be found. */
const registered = Symbol.for('opentelemetry.js.api.1')
const load = createRequire(import.meta.url)
const silent: Span = { set: () => undefined, traceparent: undefined }

export function createRealTraces(): Traces {
  return {
    span: async (name, work) => {
      // Its packages are worth loading only when somebody listens.
      if (!(registered in globalThis)) return work(silent)
      const { trace, SpanStatusCode } = load('@opentelemetry/api') as typeof OpenTelemetry
      return trace.getTracer('carabiner').startActiveSpan(name, async (span) => {
        try {
          return await work(adapt(span))
        } catch (error) {
          span.recordException(error instanceof Error ? error : String(error))
          span.setStatus({ code: SpanStatusCode.ERROR })
          throw error
        } finally {
          span.end()
        }
      })
    },
  }
}

function adapt(span: OpenTelemetry.Span): Span {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    set: (attributes) => void span.setAttributes(attributes),
    traceparent: span.isRecording() ? `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}` : undefined,
  }
}

interface SdkModule {
  readonly NodeTracerProvider: new (options: {
    spanProcessors: unknown[]
  }) => { register(): void; shutdown(): Promise<void> }
  readonly BatchSpanProcessor: new (exporter: unknown) => unknown
}

interface ExporterModule {
  readonly OTLPTraceExporter: new (options: { url: string }) => unknown
}

/** Sends spans to an OTLP/HTTP endpoint from now on; the answer flushes and stops. */
export async function startTraceExporter(url: string): Promise<() => Promise<void>> {
  const [sdk, exporter] = (await Promise.all(exporterPackages.map(loadExporter))) as [SdkModule, ExporterModule]
  const processor = new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter({ url }))
  const provider = new sdk.NodeTracerProvider({ spanProcessors: [processor] })
  provider.register()
  return () => provider.shutdown()
}

async function loadExporter(name: string): Promise<unknown> {
  try {
    return await import(name)
  } catch (error) {
    throw new CarabinerError(
      'CRB_TRACE_EXPORTER_MISSING',
      `cannot export traces: the package ${name} is not installed`,
      {
        cause: error,
        remedy: `Install it beside carabiner: npm install ${exporterPackages.join(' ')}`,
      },
    )
  }
}
