/** Spans of a simulated process: recorded in the trace, with ids drawn from the seed. */
import type { Random } from '../random.ts'
import type { Span, Traces } from '../traces.ts'
import type { Cell } from './cell.ts'

export function createMemoryTraces(cell: Cell, random: Random): Traces {
  return {
    span: async (name, work) => {
      const attributes: Record<string, string | number | boolean> = {}
      let parent: string | undefined
      const span: Span = {
        set: (more) => void Object.assign(attributes, more),
        // Drawn on first use: most spans start no process and call no service.
        get traceparent() {
          parent ??= `00-${hex(random.bytes(16))}-${hex(random.bytes(8))}-01`
          return parent
        },
      }
      const finish = (outcome: string): void => {
        if (!cell.halted) cell.record(`span ${name} ${outcome} ${JSON.stringify(attributes)}`)
      }
      try {
        const result = await work(span)
        finish('ok')
        return result
      } catch (error) {
        finish('failed')
        throw error
      }
    },
  }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
