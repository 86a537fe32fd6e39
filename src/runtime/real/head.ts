/** Reads the first bytes of a file; synchronous, because that takes a tenth of the time that passing it to a thread takes. */
import { closeSync, openSync, readSync } from 'node:fs'

export function readHead(path: string, limit: number): Uint8Array {
  const file = openSync(path, 'r')
  try {
    const head = new Uint8Array(limit)
    return head.subarray(0, readSync(file, head))
  } finally {
    closeSync(file)
  }
}
