/**
 * What a run is called. Names of objects, journal keys, trace attributes and log fields are derived from it, so that a repeated start finds
 * what exists already, and one string leads to everything about a run.
 */
import { sha256Hex } from '../../runtime/index.ts'

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

/** Identifies the run. */
export function runKey({ surface, subject, lifecycle, point, hook, attempt }: Run): string {
  return [surface, subject.uid, lifecycle, point, hook, attempt].join('/')
}

/** The name of a Job becomes a label value of its pods. */
const maxNameLength = 63

/** The name of the Job or pod that carries the run out: readable, and always the same for the same run. */
export function objectName(run: Run): string {
  const hash = sha256Hex(runKey({ ...run, attempt: 0 })).slice(0, 10)
  const end = `-${hash}-${run.attempt}`
  const start = `${run.subject.name.slice(0, 30)}-${run.hook.slice(0, 20)}`.slice(0, maxNameLength - end.length)
  return `${start.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '')}${end}`
}
