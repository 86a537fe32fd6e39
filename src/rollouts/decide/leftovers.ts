/**
 * What is left behind: Jobs and pods of hooks that nobody wants to keep, once their rollout is over; and after a death between two writes
 * those that the ledger has done with, or of a rollout that was overtaken before they were seen. They are found by looking, so that it
 * does not matter who made them and when.
 */
import { type HookObject, identityOf } from '../../hooks/index.ts'
import { rolloutLabel } from '../labels.ts'
import { isActive } from '../ledger/ledger.ts'
import type { World } from '../observe/world.ts'
import { compilePolicy } from '../policy/compile.ts'
import type { HookRecord, RetainPolicy } from '../policy/types.ts'
import type { Write } from './decision.ts'

export function leftovers({ policy, hookObjects }: World): readonly Write[] {
  if (hookObjects.length === 0) return []
  const ledger = policy.status?.rollout
  const compiled = compilePolicy(policy.spec)
  return hookObjects.flatMap((object): Write[] => {
    const { hook: name } = identityOf(object)
    const hook = 'problems' in compiled ? undefined : compiled.hooks.find((one) => one.name === name)
    if (object.labels[rolloutLabel] !== ledger?.id)
      return isRunning(object) || !isKept(object, hook?.retain) ? [{ kind: 'remove-stray', object }] : []
    const record = ledger?.hooks.find((one) => one.name === name)
    // A hook that was taken out of the policy while it ran is waited for by nobody.
    const isAwaited = isActive(ledger) && ('problems' in compiled || hook !== undefined)
    if (record === undefined || !isDoneWith(object, record, hook?.retain, isAwaited)) return []
    // Nobody looks for them any more once the policy is gone.
    const isUrgent = isRunning(object) || hook?.retain === 'Never' || policy.metadata.deletionTimestamp !== undefined
    if (isUrgent) return [{ kind: 'remove-leftover', object }]
    return isActive(ledger) ? [] : [{ kind: 'retire-leftover', object }]
  })
}

/** Whether the ledger knows how this attempt ended, and nobody wants to keep what carried it out. */
function isDoneWith(
  object: HookObject,
  record: HookRecord,
  retain: RetainPolicy | undefined,
  isAwaited: boolean,
): boolean {
  const { attempt } = identityOf(object)
  const isUnderWay = record.state === 'Running' && attempt === record.attempts
  if (isUnderWay && isRunning(object)) return !isAwaited
  if (isUnderWay || attempt > record.attempts) return false
  const isBrokenOff = record.state === 'Cancelled' || record.message?.startsWith('Timeout:') === true
  if (isRunning(object)) return attempt < record.attempts || isBrokenOff
  return !isKept(object, retain)
}

function isRunning({ observation }: HookObject): boolean {
  return observation.state === 'running'
}

/** Without a hook that says otherwise, what has ended stays. */
function isKept({ observation }: HookObject, retain: RetainPolicy = 'Always'): boolean {
  return retain === 'Always' || (retain === 'OnFailure' && observation.state === 'failed')
}
