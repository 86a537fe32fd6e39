/**
 * Jobs and pods of hooks that nothing needs any more: those that are not retained, once their rollout is over; and after an engine stopped between two
 * writes, those whose end the ledger has recorded, or of a rollout that was superseded before they were observed.
 */
import { type HookObject, identityOf } from '../../hooks/index.ts'
import { rolloutLabel } from '../labels.ts'
import { isActive } from '../ledger/index.ts'
import type { World } from '../observe/index.ts'
import type { HookRecord, RetainPolicy } from '../policy/types.ts'
import type { TidyWrite } from './decision.ts'

export function leftovers({ policy, compiled, hookObjects }: World): readonly TidyWrite[] {
  const ledger = policy.status?.rollout
  const isInvalid = 'problems' in compiled
  return hookObjects.flatMap((object): TidyWrite[] => {
    const { hook: name } = identityOf(object)
    const hook = isInvalid ? undefined : compiled.hooks.find((one) => one.name === name)
    if (object.labels[rolloutLabel] !== ledger?.id)
      return isRunning(object) || !isRetained(object, hook?.retain) ? [{ kind: 'remove-stray', object }] : []
    const record = ledger?.hooks.find((one) => one.name === name)
    // The rollout does not wait for a hook that was removed from the policy while it ran.
    const isAwaited = isActive(ledger) && (isInvalid || hook !== undefined)
    if (record === undefined || !isUnneeded(object, { record, retain: hook?.retain, isAwaited })) return []
    // Once the policy is gone, they are not found any more.
    const isUrgent = isRunning(object) || hook?.retain === 'Never' || policy.metadata.deletionTimestamp !== undefined
    if (isUrgent) return [{ kind: 'remove-leftover', object }]
    return isActive(ledger) ? [] : [{ kind: 'retire-leftover', object }]
  })
}

interface Known {
  readonly record: HookRecord
  readonly retain: RetainPolicy | undefined
  readonly isAwaited: boolean
}

/** Whether the ledger has recorded how this attempt ended, and its object is not retained. */
function isUnneeded(object: HookObject, { record, retain, isAwaited }: Known): boolean {
  const { attempt } = identityOf(object)
  const isUnderWay = record.state === 'Running' && attempt === record.attempts
  if (isUnderWay && isRunning(object)) return !isAwaited
  if (isUnderWay || attempt > record.attempts) return false
  const isCancelled = record.state === 'Cancelled' || record.reason === 'Timeout'
  if (isRunning(object)) return attempt < record.attempts || isCancelled
  return !isRetained(object, retain)
}

function isRunning({ observation }: HookObject): boolean {
  return observation.state === 'running'
}

/** Without a hook that says otherwise, objects of ended runs are retained. */
function isRetained({ observation }: HookObject, retain: RetainPolicy = 'Always'): boolean {
  return retain === 'Always' || (retain === 'OnFailure' && observation.state === 'failed')
}
