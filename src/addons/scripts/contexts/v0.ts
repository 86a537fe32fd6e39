/** Binding contexts of v0: the event and the coordinates of the object, without the object itself. */
import type { JsonObject } from '../../../runtime/index.ts'
import type { WatchEvent } from '../config/types.ts'
import type { Cause } from './cause.ts'

export const eventWordsV0: Readonly<Record<WatchEvent, string>> = {
  Added: 'add',
  Modified: 'update',
  Deleted: 'delete',
}

export function elementV0(cause: Cause): JsonObject {
  if (cause.kind === 'startup') return { binding: 'onStartup' }
  if (cause.kind === 'order') return { binding: cause.order }
  const { name } = cause.binding
  if (cause.kind !== 'event') return { binding: name }
  const { watchEvent, seen, kind } = cause.event
  const split = seen.key.indexOf('/')
  return {
    binding: name,
    resourceEvent: eventWordsV0[watchEvent],
    ...(split === -1 ? {} : { resourceNamespace: seen.key.slice(0, split) }),
    resourceKind: kind,
    resourceName: seen.key.slice(split + 1),
  }
}
