/** Whole lines that a process of ours tells us on its output, each as it comes; what has no end yet waits for it. */
import type { Readable } from 'node:stream'

export function hearLines(output: Readable, hear: (line: string) => void): void {
  let rest = ''
  output.on('data', (chunk: Buffer) => {
    const lines = `${rest}${chunk.toString()}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) hear(line)
  })
}
