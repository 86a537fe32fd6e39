/** A module with its hooks, and its state in this process. The state is not persisted. */
import type { Hook } from '../../scripts/hook.ts'
import type { Module } from '../discovery/module.ts'

export interface Member {
  readonly module: Module
  /** Ordered by name. */
  readonly hooks: readonly Hook[]
}

/** An enabled module. */
export interface ActiveMember extends Member {
  /** A run has succeeded since the module was enabled. */
  isStarted: boolean
  /** Its schedules have started. */
  isScheduled: boolean
  /** A run is under way. */
  isRunning: boolean
  /** An afterHelm hook changed values, so the release may be outdated. */
  isOutdated: boolean
}

export function activated(member: Member): ActiveMember {
  return { ...member, isStarted: false, isScheduled: false, isRunning: false, isOutdated: false }
}
