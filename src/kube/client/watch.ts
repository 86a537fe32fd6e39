/**
 * Decodes the lines of a watch into events. Does not resume and does not retry: the reflector does, and needs to see every end and every error.
 */
import { CarabinerError, type HttpBody } from '../../runtime/index.ts'
import type { KubeObject } from '../object.ts'
import { decode } from './answer.ts'
import type { WatchEvent, WatchOptions } from './client.ts'
import { lines } from './lines.ts'
import { inEvent } from './strip.ts'

export async function* watchEvents<T extends KubeObject>(
  body: HttpBody,
  target: string,
  { omitManagedFields = false }: Pick<WatchOptions, 'omitManagedFields'> = {},
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const from = { method: 'WATCH', target }
  const stripped = omitManagedFields ? inEvent : undefined
  const cut = (rest: Uint8Array) => {
    throw new CarabinerError(
      'CRB_CONNECTION_BROKEN',
      `WATCH ${target.split('?', 1)[0]}: the connection ended after ${rest.length} bytes of an event.`,
    )
  }
  for await (const line of lines(body, cut)) {
    if (line.length === 0) continue
    yield decode<WatchEvent<T>>(line, from, stripped)
  }
}
