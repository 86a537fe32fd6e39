/** The Lease that one process among replicas holds. */
import type { KubeObject } from '../object.ts'

export interface LeaseSpec {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly acquireTime?: string
  readonly renewTime?: string
  readonly leaseTransitions?: number
}

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec
}
