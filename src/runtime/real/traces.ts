/**
 * Traces through the OpenTelemetry API. Without an exporter nothing is recorded; the packages of the exporter are large and are loaded only
 * when an endpoint is configured.
 */
import { randomBytes } from 'node:crypto'
import type * as OpenTelemetry from '@opentelemetry/api'
import { CarabinerError } from '../errors.ts'
import type { EndedSpan, Span, Traces } from '../traces.ts'

const exporterPackages = ['@opentelemetry/sdk-trace-node', '@opentelemetry/exporter-trace-otlp-http'] as const

/**
 * The global symbol under which an OpenTelemetry SDK registers itself, here or in an embedding program. It is read without the API package,
 * because that package ignores an SDK that was built for an older minor version; the members used here exist in all versions.
 */
const registered = Symbol.for('opentelemetry.js.api.1')
const failed: OpenTelemetry.SpanStatusCode.ERROR = 2
const silent: Span = { set: () => undefined, traceparent: undefined }

/** Whether an SDK is already registered. */
export function hasTraceSdk(): boolean {
  return tracerProvider() !== undefined
}

function tracerProvider(): OpenTelemetry.TracerProvider | undefined {
  return (globalThis as { [registered]?: { readonly trace?: OpenTelemetry.TracerProvider } })[registered]?.trace
}

export function createRealTraces(): Traces {
  return {
    span: async (name, work, traceId) => {
      const tracer = tracerProvider()?.getTracer('carabiner')
      if (tracer === undefined) return work(silent)
      const inside = async (span: OpenTelemetry.Span) => {
        try {
          return await work(adapt(span))
        } catch (error) {
          span.recordException(error instanceof Error ? error : String(error))
          span.setStatus({ code: failed })
          throw error
        } finally {
          span.end()
        }
      }
      if (traceId === undefined) return tracer.startActiveSpan(name, inside)
      return withTraceId(traceId(), () => tracer.startActiveSpan(name, { root: true }, inside))
    },
    ended: (given) => {
      const tracer = tracerProvider()?.getTracer('carabiner')
      return tracer === undefined ? undefined : exportEnded(tracer, given)
    },
  }
}

function exportEnded(tracer: OpenTelemetry.Tracer, given: EndedSpan): string | undefined {
  const { name, startedAt: startTime, endedAt, traceId, attributes, failure } = given
  const span = withTraceId(traceId, () => tracer.startSpan(name, { root: true, startTime, attributes }))
  const isRecorded = span.isRecording()
  if (failure !== undefined) span.setStatus({ code: failed, message: failure })
  span.end(endedAt)
  return isRecorded ? span.spanContext().traceId : undefined
}

/** The id of the next trace that begins; the API has no parameter for it. */
let nextTraceId: string | undefined

/** An SDK that was set up by someone else chooses the id itself. */
function withTraceId<T>(traceId: string, start: () => T): T {
  nextTraceId = traceId
  try {
    return start()
  } finally {
    nextTraceId = undefined
  }
}

const idGenerator = {
  generateTraceId: () => {
    const traceId = nextTraceId ?? randomBytes(16).toString('hex')
    nextTraceId = undefined
    return traceId
  },
  generateSpanId: () => randomBytes(8).toString('hex'),
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
    idGenerator: typeof idGenerator
  }) => { register(): void; shutdown(): Promise<void> }
  readonly BatchSpanProcessor: new (exporter: unknown) => unknown
}

interface ExporterModule {
  readonly OTLPTraceExporter: new (options: { url: string }) => unknown
}

/** Sends spans to an OTLP/HTTP endpoint; the returned function flushes and stops. */
export async function startTraceExporter(
  url: string,
  load: (name: string) => Promise<unknown> = (name) => import(name),
): Promise<() => Promise<void>> {
  const packages = await Promise.all(exporterPackages.map((name) => loadExporter(name, load)))
  const [sdk, exporter] = packages as [SdkModule, ExporterModule]
  const processor = new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter({ url }))
  const provider = new sdk.NodeTracerProvider({ spanProcessors: [processor], idGenerator })
  provider.register()
  return () => provider.shutdown()
}

async function loadExporter(name: string, load: (name: string) => Promise<unknown>): Promise<unknown> {
  try {
    return await load(name)
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
