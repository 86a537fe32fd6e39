/**
 * Decides conditions and taints of a node: when its lease expires the conditions become Unknown and the node is
 * tainted; when the lease is renewed the taints are removed.
 */

import type { Lease, Node, NodeCondition, Taint } from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { instantOf, timestamp } from '../../kinds/time.ts'

/** A node is unreachable this long after its lease expired: the real controller waits 50 seconds with a lease of 40. */
const leaseGraceMs = 10_000

const unreachable = 'node.kubernetes.io/unreachable'
const notReady = 'node.kubernetes.io/not-ready'
const effects = ['NoSchedule', 'NoExecute'] as const

export interface NodeDecision {
  /** Conditions to write, when they change. */
  readonly conditions?: readonly NodeCondition[]
  /** Taints to write, when they change. */
  readonly taints?: readonly Taint[]
  readonly requeueAfterMs?: number
}

function unknownConditions(node: Node, now: Instant): readonly NodeCondition[] | undefined {
  const conditions = node.status?.conditions ?? []
  if (conditions.every(({ status }) => status === 'Unknown')) return undefined
  return conditions.map((condition) =>
    condition.status === 'Unknown'
      ? condition
      : {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: timestamp(now),
        },
  )
}

function taintsFor(node: Node, ready: string, now: Instant): readonly Taint[] | undefined {
  const present = node.spec?.taints ?? []
  const key = ready === 'True' ? undefined : ready === 'Unknown' ? unreachable : notReady
  const others = present.filter((taint) => taint.key !== unreachable && taint.key !== notReady)
  const cordoned = node.spec?.unschedulable === true
  const cordon: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }
  const kept = others.filter((taint) => taint.key !== cordon.key)
  const wanted = [
    ...kept,
    ...(cordoned ? [others.find((taint) => taint.key === cordon.key) ?? { ...cordon, timeAdded: timestamp(now) }] : []),
    ...(key === undefined
      ? []
      : effects.map(
          (effect) =>
            present.find((taint) => taint.key === key && taint.effect === effect) ?? {
              key,
              effect,
              timeAdded: timestamp(now),
            },
        )),
  ]
  const name = ({ key: one, effect }: Taint) => `${one}:${effect}`
  const same =
    wanted.length === present.length && wanted.every((taint) => present.some((other) => name(other) === name(taint)))
  return same ? undefined : wanted
}

export function decideNode(node: Node, lease: Lease | undefined, now: Instant): NodeDecision {
  const renewed = instantOf(lease?.spec?.renewTime) ?? instantOf(node.metadata.creationTimestamp) ?? now
  const leaseTimeoutMs = (lease?.spec?.leaseDurationSeconds ?? 40) * 1000 + leaseGraceMs
  const isUnreachable = now - renewed >= leaseTimeoutMs
  const conditions = isUnreachable ? unknownConditions(node, now) : undefined
  const ready = (conditions ?? node.status?.conditions)?.find(({ type }) => type === 'Ready')?.status ?? 'Unknown'
  const taints = taintsFor(node, ready, now)
  return {
    ...(conditions === undefined ? {} : { conditions }),
    ...(taints === undefined ? {} : { taints }),
    ...(isUnreachable ? {} : { requeueAfterMs: renewed + leaseTimeoutMs - now }),
  }
}
