/** Calls a function for each complete line of an output stream. */
import type { Readable } from 'node:stream'

export function onLines(output: Readable, onLine: (line: string) => void): void {
  let rest = ''
  output.on('data', (chunk: Buffer) => {
    const lines = `${rest}${chunk.toString()}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  })
}
