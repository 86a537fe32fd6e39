/**
 * Builds the binding contexts of a run: an array with one element per cause. All snapshots are taken at the same time, so that every
 * element shows the same state.
 */
import { append } from '../../../runtime/index.ts'
import type { KubernetesBinding } from '../config/types.ts'
import type { Hook } from '../hook.ts'
import type { Cause } from './cause.ts'
import type { Piece } from './json-pieces.ts'
import { membersOf, type SnapshotSource, type Snapshots } from './snapshots.ts'
import { elementV0 } from './v0.ts'

/** `Source` provides the objects of a binding. */
export interface ContextSource<Source extends SnapshotSource = SnapshotSource> {
  readonly snapshots: Snapshots
  monitorOf(binding: KubernetesBinding): Source | undefined
}

export function bindingContexts(hook: Hook, causes: readonly Cause[], source: ContextSource): readonly Piece[] {
  if (hook.config.version === 'v0') return [JSON.stringify(causes.map(elementV0))]
  const pieces: Piece[] = []
  for (const cause of withoutRepeatedGroups(causes))
    append(pieces, [pieces.length === 0 ? '[' : ','], element(hook, cause, source))
  return [...pieces, ']']
}

/** Keeps only the last of consecutive causes of one group, because a group context contains only snapshots. */
function withoutRepeatedGroups(causes: readonly Cause[]): readonly Cause[] {
  return causes.filter((cause, index) => {
    const next = causes[index + 1]
    return groupOf(cause) === undefined || next === undefined || groupOf(next) !== groupOf(cause)
  })
}

export function groupOf(cause: Cause): string | undefined {
  return cause.kind === 'startup' || cause.kind === 'order' ? undefined : cause.binding.group
}

function element(hook: Hook, cause: Cause, source: ContextSource): readonly Piece[] {
  if (cause.kind === 'startup') return ['{"binding":"onStartup"}']
  if (cause.kind === 'order') return [`{"binding":"${cause.order}"`, ...allSnapshots(hook, source), '}']
  const { name, group, includeSnapshotsFrom } = cause.binding
  const start = `{"binding":${JSON.stringify(name)},"type":`
  const end = [...snapshotsOf(hook, includeSnapshotsFrom, source), '}']
  if (group !== undefined) return [`${start}"Group","groupName":${JSON.stringify(group)}`, ...end]
  switch (cause.kind) {
    case 'schedule':
      return [`${start}"Schedule"`, ...end]
    case 'synchronization':
      return [`${start}"Synchronization","objects":`, ...objectsOf(cause.binding, source), ...end]
    case 'event': {
      const { watchEvent, seen } = cause.event
      const members = membersOf(seen)
      return [`${start}"Event","watchEvent":"${watchEvent}"`, ...(members.length > 0 ? [','] : []), ...members, ...end]
    }
  }
}

export function snapshotsOf(hook: Hook, names: readonly string[], source: ContextSource): readonly Piece[] {
  if (names.length === 0) return []
  const pieces: Piece[] = [',"snapshots":{']
  for (const [index, name] of names.entries()) {
    const binding = hook.config.kubernetes.find((one) => one.name === name)
    pieces.push(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`)
    append(pieces, binding === undefined ? ['[]'] : objectsOf(binding, source))
  }
  return [...pieces, '}']
}

/** Contexts of module bindings contain the snapshots of all kubernetes bindings. */
function allSnapshots(hook: Hook, source: ContextSource): readonly Piece[] {
  return snapshotsOf(hook, [...new Set(hook.config.kubernetes.map(({ name }) => name))], source)
}

function objectsOf(binding: KubernetesBinding, { snapshots, monitorOf }: ContextSource): readonly Piece[] {
  const monitor = monitorOf(binding)
  return monitor === undefined ? ['[]'] : snapshots.of(monitor)
}
