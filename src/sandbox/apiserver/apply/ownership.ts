/**
 * Computes field ownership after a write. An update takes changed fields from all managers; an apply changes fields of
 * others only with force, gives up fields that left its configuration, and removes those without another owner. Pure.
 */
import { equal } from '../../../patch/index.ts'
import type { Json } from '../../../runtime/index.ts'
import { type Comparison, compare } from './compare.ts'
import { ensureNamedFieldsAreMembers } from './ensure-named-fields.ts'
import { type FieldPath, FieldSet } from './field-set.ts'
import { identityOf, type Manager, type Ownerships } from './managers.ts'
import { merge } from './merge.ts'
import type { Structure } from './structure.ts'
import { toFieldSet } from './to-field-set.ts'
import { withoutFields } from './without-fields.ts'

export interface Conflict {
  readonly manager: Manager
  readonly path: FieldPath
}

export class ApplyConflicts extends Error {
  readonly conflicts: readonly Conflict[]

  constructor(conflicts: readonly Conflict[]) {
    super(`${conflicts.length} conflicts`)
    this.conflicts = conflicts
  }
}

interface Rules {
  readonly structure: Structure
  /** Fields that this endpoint never changes, whatever the request contains. */
  readonly ignored: FieldSet
}

function change(before: Json, after: Json, { structure, ignored }: Rules): Comparison {
  const { removed, modified, added } = compare(before, after, structure)
  return {
    removed: removed.recursiveDifference(ignored),
    modified: modified.recursiveDifference(ignored),
    added: added.recursiveDifference(ignored),
  }
}

/** Takes the changed fields from all managers but `self`. */
function takeChangedFields(change: Comparison, ownerships: Ownerships, self: string, force: boolean): Ownerships {
  const taken = change.modified.union(change.added)
  const conflicts: Conflict[] = []
  const settled: Ownerships = new Map()
  for (const [identity, ownership] of ownerships) {
    if (identity === self) {
      settled.set(identity, ownership)
      continue
    }
    const disputed = ownership.fields.intersection(taken)
    for (const path of disputed.paths()) conflicts.push({ manager: ownership.manager, path })
    settled.set(identity, { ...ownership, fields: ownership.fields.difference(disputed).difference(change.removed) })
  }
  if (!force && conflicts.length > 0) throw new ApplyConflicts(conflicts)
  for (const [identity, { fields }] of settled) if (fields.isEmpty) settled.delete(identity)
  return settled
}

/**
 * Ownership after a create, update or patch that turned `before` into `after`. `time` is recorded when the writer
 * gained a field.
 */
export function afterUpdate(
  write: { readonly before: Json; readonly after: Json; readonly manager: Manager; readonly time: string | undefined },
  ownerships: Ownerships,
  rules: Rules,
  strip: FieldSet,
): Ownerships {
  const changed = change(write.before, write.after, rules)
  const self = 'current-operation'
  const settled = takeChangedFields(changed, ownerships, self, true)
  const gained = changed.modified.union(changed.added).recursiveDifference(rules.ignored).difference(strip)
  if (gained.isEmpty) return settled
  const identity = identityOf(write.manager)
  const previous = settled.get(identity)
  settled.set(identity, {
    manager: write.manager,
    fields: previous === undefined ? gained : gained.union(previous.fields),
    time: write.time,
  })
  return settled
}

export interface Applied {
  /** The merged object. */
  readonly value: Json
  readonly ownerships: Ownerships
}

/** The object and its ownership after applying `config` to `live`. */
export function afterApply(
  write: {
    readonly live: Json
    readonly config: Json
    readonly manager: Manager
    readonly force: boolean
    readonly time: string
  },
  ownerships: Ownerships,
  rules: Rules,
  strip: FieldSet,
): Applied {
  const { live, config, manager } = write
  const identity = identityOf(manager)
  const last = ownerships.get(identity)
  const fields = toFieldSet(config, rules.structure).recursiveDifference(rules.ignored)
  const claimed: Ownerships = new Map(ownerships)
  claimed.set(identity, { manager, fields, time: last?.time })
  const merged = merge(live, config, rules.structure)
  const pruned = last === undefined ? merged : prune(merged, claimed, last.fields, rules.structure)
  const settled = takeChangedFields(change(live, pruned, rules), claimed, identity, write.force)
  const isChanged = !equal(live, pruned)
  const kept = fields.difference(strip)
  if (kept.isEmpty) settled.delete(identity)
  else settled.set(identity, { manager, fields: kept, time: isChanged ? write.time : last?.time })
  return { value: pruned, ownerships: settled }
}

/** Removes fields the manager applied last time but not now, unless another manager owns them. */
function prune(merged: Json, claimed: Ownerships, last: FieldSet, structure: Structure): Json {
  if (last.isEmpty) return merged
  const named = (set: FieldSet): FieldSet => ensureNamedFieldsAreMembers(set, structure)
  let owned = new FieldSet()
  for (const { fields } of claimed.values()) owned = owned.union(fields)
  const all = named(toFieldSet(merged, structure))
  const bare = withoutFields(merged, named(last), structure) ?? {}
  const withOwned =
    withoutFields(merged, all.difference(named(toFieldSet(bare, structure)).union(named(owned))), structure) ?? {}
  const lost = all.difference(named(toFieldSet(withOwned, structure)))
  return withoutFields(merged, lost.intersection(named(last)), structure) ?? {}
}
