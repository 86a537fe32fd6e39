/** Files that grow at their end, and what makes them and their names survive a crash of the machine. */
import { type FileHandle, open } from 'node:fs/promises'
import type { AppendFile } from '../files.ts'

type WithFileErrors = <T>(path: string, verb: string, action: () => Promise<T>) => Promise<T>

export function createAppend(path: string, withFileErrors: WithFileErrors): Promise<AppendFile> {
  return withFileErrors(path, 'create', async () => {
    // A link at this path is not followed.
    const handle = await open(path, 'wx', 0o600)
    return {
      append: (content) => withFileErrors(path, 'append to', () => writeAll(handle, content)),
      sync: () => withFileErrors(path, 'save', () => handle.datasync()),
      close: () => withFileErrors(path, 'close', () => handle.close()),
    }
  })
}

/** One call may write less than all. */
async function writeAll(handle: FileHandle, content: Uint8Array): Promise<void> {
  for (let done = 0; done < content.byteLength; ) done += (await handle.write(content, done)).bytesWritten
}

export function syncDirectory(path: string, withFileErrors: WithFileErrors): Promise<void> {
  return withFileErrors(path, 'save', async () => {
    const handle = await open(path, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  })
}
