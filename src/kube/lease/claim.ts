/**
 * The rules of the lease, without I/O. Other processes' clocks are never believed: a lease is alive as long as *we* saw it change within
 * its duration, measured on our own monotonic clock.
 */

import type { Lease, LeaseSpec } from '../kinds/index.ts'
import { microTime } from '../time.ts'

/** What was last seen of the lease, and when it was first seen like that. */
export interface Sighting {
  readonly record: string
  readonly at: number
}

export function sight(lease: Lease, last: Sighting | undefined, monotonic: number): Sighting {
  const record = JSON.stringify(lease.spec ?? {})
  return last?.record === record ? last : { record, at: monotonic }
}

/** Whether someone else holds the lease and may still be at work. */
export function isTaken(lease: Lease, seen: Sighting, identity: string, monotonic: number): boolean {
  const { holderIdentity = '', leaseDurationSeconds = 0 } = lease.spec ?? {}
  if (holderIdentity === '' || holderIdentity === identity) return false
  return monotonic < seen.at + leaseDurationSeconds * 1000
}

/** The spec by which `identity` takes or renews the lease; `previous` is what it says now. */
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

/** The spec of a lease that was given back: free at once for whoever asks first. */
export function released(previous: LeaseSpec | undefined, now: number): LeaseSpec {
  const { holderIdentity: _, ...kept } = previous ?? {}
  return { ...kept, leaseDurationSeconds: 1, renewTime: microTime(now), acquireTime: microTime(now) }
}
