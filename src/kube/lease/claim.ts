/**
 * The rules of the lease, without I/O. The clocks of other processes are not trusted: a lease is held as long as this process has seen it change
 * within its duration, measured on its own monotonic clock.
 */

import type { Lease, LeaseSpec } from '../kinds/index.ts'
import { microTime } from '../time.ts'

/** The last observed spec of the lease, and when this spec was first observed. */
export interface LeaseObservation {
  readonly record: string
  readonly at: number
}

export function observeLease(lease: Lease, last: LeaseObservation | undefined, monotonic: number): LeaseObservation {
  const record = JSON.stringify(lease.spec ?? {})
  return last?.record === record ? last : { record, at: monotonic }
}

/** Whether another process holds the lease and may still be working. */
export function isTaken(lease: Lease, seen: LeaseObservation, identity: string, monotonic: number): boolean {
  const { holderIdentity = '', leaseDurationSeconds = 0 } = lease.spec ?? {}
  if (holderIdentity === '' || holderIdentity === identity) return false
  return monotonic < seen.at + leaseDurationSeconds * 1000
}

/** The spec with which `identity` acquires or renews the lease; `previous` is the current one. */
export function claim(previous: LeaseSpec | undefined, identity: string, duration: number, now: number): LeaseSpec {
  const renewTime = microTime(now)
  const leaseDurationSeconds = Math.ceil(duration / 1000)
  if (previous?.holderIdentity === identity) return { ...previous, leaseDurationSeconds, renewTime }
  return {
    holderIdentity: identity,
    leaseDurationSeconds,
    acquireTime: renewTime,
    renewTime,
    leaseTransitions: previous === undefined ? 0 : (previous.leaseTransitions ?? 0) + 1,
  }
}

/** The spec of a released lease: the next candidate can acquire it at once. */
export function released(previous: LeaseSpec | undefined, now: number): LeaseSpec {
  const { holderIdentity: _, ...kept } = previous ?? {}
  return { ...kept, leaseDurationSeconds: 1, renewTime: microTime(now), acquireTime: microTime(now) }
}
