/** Waits for the first line of a child process. */
import type { ChildProcess } from 'node:child_process'

/** The first line on standard output; rejects when the process ends before. Further output is discarded. */
export function firstLine(child: ChildProcess, what: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      if (text.includes('\n')) return
      text += chunk.toString()
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
    child.once('exit', (code) => reject(new Error(`${what} ended with ${code} before a word`)))
  })
}
