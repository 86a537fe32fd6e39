/** CPU time of several processes over a span of time, by name. */
import { cpuOf } from './usage.ts'

export type Seconds = ReadonlyMap<string, number>

/** Starts measuring processes, given by name and id; each call of the returned function gives the CPU seconds since the previous call. */
export function accountFor(processes: ReadonlyMap<string, number>): () => Seconds {
  const used = (): Seconds => new Map([...processes].map(([name, id]) => [name, cpuOf(id)]))
  let before = used()
  return () => {
    const now = used()
    const since = new Map([...now].map(([name, seconds]) => [name, seconds - (before.get(name) ?? 0)]))
    before = now
    return since
  }
}

/** One line, with the sum first. */
export function formatSeconds(seconds: Seconds): string {
  const sum = [...seconds.values()].reduce((all, one) => all + one, 0)
  return `${sum.toFixed(1)} CPU s: ${[...seconds].map(([name, one]) => `${name} ${one.toFixed(1)}`).join(', ')}`
}
