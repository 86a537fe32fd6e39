/**
 * Traces: spans around work, passed on to hooks as `traceparent`. Without an exporter a span costs almost nothing.
 */
import type { Instant } from './clock.ts'

export interface Span {
  set(attributes: SpanAttributes): void
  /** W3C trace context of this span, or undefined when the span is not recorded. */
  readonly traceparent: string | undefined
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** A span of work that was carried out elsewhere, for example by a Job. */
export interface EndedSpan {
  readonly name: string
  readonly startedAt: Instant
  readonly endedAt: Instant
  /** 32 hexadecimal digits: the span is the root of the trace with this id. */
  readonly traceId: string
  readonly attributes: SpanAttributes
  /** Why the work failed. */
  readonly failure?: string
}

export interface Traces {
  /** Runs `work` inside a span; an exception is recorded and rethrown. With `traceId` the span is the root of the trace with this id. */
  span<T>(name: string, work: (span: Span) => Promise<T>, traceId?: () => string): Promise<T>
  /** Exports a span that has ended already. Returns the id of its trace, or undefined when the span is not recorded. */
  ended(span: EndedSpan): string | undefined
}
