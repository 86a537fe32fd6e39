/** The events of a simulation, one per line: virtual seconds, domain, event. Two runs with the same seed have the same text. */
export interface Trace {
  readonly lines: readonly string[]
  text(): string
}

export class TraceRecorder implements Trace {
  readonly lines: string[] = []

  add(elapsed: number, domain: string, event: string): void {
    this.lines.push(`${(elapsed / 1000).toFixed(3)} ${domain} ${event}`)
  }

  text(): string {
    return this.lines.map((line) => `${line}\n`).join('')
  }
}
