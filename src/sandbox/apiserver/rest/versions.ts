/** Versions of the storage that a client asks for and that may not be there yet. */
import { StatusError } from '../status/status-error.ts'
import type { ResourceRequest } from './request.ts'

/** Milliseconds a read waits for a version that is still to come. */
const patience = 3000

export async function notInTheFuture({ parts, http }: ResourceRequest, revision: number): Promise<void> {
  const { clock } = parts.runtime
  if (parts.store.revision >= revision) return
  await clock.sleep(patience, http.signal)
  if (parts.store.revision >= revision) return
  throw new StatusError(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${revision}, current: ${parts.store.revision}`,
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  )
}
