/**
 * Builds the binding contexts of an admission or conversion request: one element with the review and the snapshots, even if the binding is
 * in a group.
 */
import type { JsonObject } from '../../../runtime/index.ts'
import type { Hook } from '../hook.ts'
import { type ContextSource, snapshotsOf } from './contexts.ts'
import type { Piece } from './json-pieces.ts'

export interface ReviewElement {
  readonly binding: { readonly name: string; readonly includeSnapshotsFrom: readonly string[] }
  readonly type: 'Validating' | 'Mutating' | 'Conversion'
  /** The review, and the versions of a conversion. */
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
