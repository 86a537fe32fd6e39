/** A module with its hooks, and where it stands in the operator that runs now. Nothing of this outlives the operator. */
import type { Hook } from '../../scripts/hook.ts'
import type { Module } from '../discovery/module.ts'

export interface Member {
  readonly module: Module
  /** In the order of their names. */
  readonly hooks: readonly Hook[]
}

/** A module that is switched on. */
export interface ActiveMember extends Member {
  /** Its run was successful once since it was switched on. */
  isStarted: boolean
  /** Its schedules have begun. */
  isScheduled: boolean
  /** At this moment. */
  isRunning: boolean
  /** Hooks that run after the release changed its values: the release may have to be another one. */
  isOutdated: boolean
}

export function activated(member: Member): ActiveMember {
  return { ...member, isStarted: false, isScheduled: false, isRunning: false, isOutdated: false }
}
