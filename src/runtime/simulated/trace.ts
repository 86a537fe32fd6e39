/**
 * What happened in a simulation, line by line: virtual seconds, domain, event. Two runs from the same number have the same text.
 */
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
