/**
 * Traces: spans around work, carried to hooks by `traceparent`. Without an exporter they cost next to nothing.
 */
export interface Span {
  set(attributes: Readonly<Record<string, string | number | boolean>>): void
  /** W3C trace context of this span, or undefined when nothing records. */
  readonly traceparent: string | undefined
}

export interface Traces {
  /** Runs `work` inside a span; an exception is recorded and thrown on. */
  span<T>(name: string, work: (span: Span) => Promise<T>): Promise<T>
}
