/**
 * Spans of a simulated process. Those around work are lines of the simulation's trace; those of runs are kept for tests to read.
 */
import type { Random } from '../random.ts'
import type { EndedSpan, Span, SpanAttributes, Traces } from '../traces.ts'
import type { Cell } from './cell.ts'

export interface SpanRecord extends Pick<EndedSpan, 'name' | 'failure'> {
  readonly traceId: string
  readonly attributes: SpanAttributes
}

export function createMemoryTraces(cell: Cell, random: Random, records: SpanRecord[]): Traces {
  return {
    ended: ({ name, traceId, attributes, failure }) => {
      if (!cell.halted) records.push({ name, traceId, attributes, ...(failure === undefined ? {} : { failure }) })
      return traceId
    },
    span: async (name, work, traceId) => {
      const attributes: Record<string, string | number | boolean> = {}
      let parent: string | undefined
      const span: Span = {
        set: (more) => void Object.assign(attributes, more),
        // Drawn on first use: most spans start no process and call no service.
        get traceparent() {
          parent ??= `00-${traceId?.() ?? hex(random.bytes(16))}-${hex(random.bytes(8))}-01`
          return parent
        },
      }
      const finish = (outcome: string): void => {
        if (cell.halted) return
        cell.record(`span ${name} ${outcome} ${JSON.stringify(attributes)}`)
        if (traceId !== undefined) records.push({ name, traceId: traceId(), attributes })
      }
      const done = cell.wait(name)
      try {
        const result = await work(span)
        finish('ok')
        return result
      } catch (error) {
        finish('failed')
        throw error
      } finally {
        done()
      }
    },
  }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
