/**
 * A run has a name. Names of objects, journal keys, trace attributes and log fields are derived from it, so that a repeat finds what is
 * there and a reader finds everything about one run by one string.
 */
import { sha256Hex } from '../../runtime/sha256.ts'

export interface Run {
  /** Which surface it belongs to: `rollouts`, `addons`, `deployers`. */
  readonly surface: string
  /** What it is about. */
  readonly subject: { readonly kind: string; readonly namespace: string; readonly name: string; readonly uid: string }
  /** The revision, event or generation. */
  readonly lifecycle: string
  readonly point: string
  readonly hook: string
  /** From 1 on. */
  readonly attempt: number
}

/** Everything that makes the run this run and no other. */
export function runKey({ surface, subject, lifecycle, point, hook, attempt }: Run): string {
  return [surface, subject.uid, lifecycle, point, hook, attempt].join('/')
}

const longestName = 63

/**
 * A name for the object that carries the run out: readable, at most 63 characters because it becomes a label of pods, and the same
 * whenever it is asked for.
 */
export function objectName(run: Run): string {
  const hash = sha256Hex(runKey({ ...run, attempt: 0 })).slice(0, 10)
  const end = `-${hash}-${run.attempt}`
  const start = `${run.subject.name.slice(0, 30)}-${run.hook.slice(0, 20)}`.slice(0, longestName - end.length)
  return `${start.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '')}${end}`
}
