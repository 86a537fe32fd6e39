/** Reads at a resourceVersion that this server has not reached yet. */
import { StatusError } from '../status/status-error.ts'
import type { ResourceRequest } from './request.ts'

/** How long a read waits for a future resourceVersion. */
const revisionWaitMs = 3000

export async function waitForRevision({ parts, http }: ResourceRequest, revision: number): Promise<void> {
  const { clock } = parts.runtime
  if (parts.store.revision >= revision) return
  await clock.sleep(revisionWaitMs, http.signal)
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
