/** Traces: spans around work, passed on to hooks as `traceparent`. Without an exporter a span costs almost nothing. */
export interface Span {
  set(attributes: Readonly<Record<string, string | number | boolean>>): void
  /** W3C trace context of this span, or undefined when the span is not recorded. */
  readonly traceparent: string | undefined
}

export interface Traces {
  /** Runs `work` inside a span; an exception is recorded and rethrown. */
  span<T>(name: string, work: (span: Span) => Promise<T>): Promise<T>
}
