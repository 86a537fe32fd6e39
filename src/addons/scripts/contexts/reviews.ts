/** The binding contexts of a run that somebody waits for: one element with the review and the snapshots, whatever group the binding is in. */
import type { JsonObject } from '../../../runtime/json.ts'
import type { Hook } from '../hook.ts'
import { type ContextSource, snapshotsOf } from './contexts.ts'
import type { Piece } from './pieces.ts'

export interface ReviewElement {
  readonly binding: { readonly name: string; readonly includeSnapshotsFrom: readonly string[] }
  readonly type: 'Validating' | 'Mutating' | 'Conversion'
  /** What else the element holds: the review, and versions of a conversion. */
  readonly members: JsonObject
}

export function reviewContexts(
  hook: Hook,
  { binding, type, members }: ReviewElement,
  source: ContextSource,
): readonly Piece[] {
  const start = JSON.stringify({ binding: binding.name, type, ...members }).slice(0, -1)
  return [`[${start}`, ...snapshotsOf(hook, binding.includeSnapshotsFrom, source), '}]']
}
