/** Names that are derived from the key of a run. */
import { sha256Hex } from '../../runtime/index.ts'
import { partsOfKey } from '../run/index.ts'

/**
 * The short form of a key, for tables and for people to type. It is the end of the name of the Job or pod that carries the run out, so that
 * an event about the object leads to the run.
 */
export function shortKey(key: string): string {
  const { prefix, attempt } = partsOfKey(key)
  return `${sha256Hex(`${prefix}/0`).slice(0, 10)}-${attempt}`
}

/** The key of another attempt of the same hook at the same point. */
export function keyOfAttempt(key: string, attempt: number): string {
  return `${partsOfKey(key).prefix}/${attempt}`
}

/** The trace of a run, where the exporter of this process chooses its id. */
export function traceIdOf(key: string): string {
  return sha256Hex(key).slice(0, 32)
}
